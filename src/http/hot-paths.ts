/**
 * The paths that a POS calls with every sale, past Express' routers (docs/decisions/0016-hot-paths.md): the same steps in the
 * same order, found by one look. Everything else, and these paths in any other spelling, is Express'.
 */
import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from "express";

/** By method and address as a POS writes them: `POST /api/v3/invoices`. */
export type HotPaths = ReadonlyMap<string, readonly RequestHandler[]>;

/** The classes of requests and responses that a server is to make. */
export interface Messages {
  readonly IncomingMessage: typeof IncomingMessage;
  readonly ServerResponse: typeof ServerResponse;
}

export interface HotApp {
  readonly listener: RequestListener;
  readonly messages: Messages;
}

export function withHotPaths(app: Express, paths: HotPaths, failed: ErrorRequestHandler): HotApp {
  const listener: RequestListener = (incoming, outgoing) => {
    const steps = paths.get(`${incoming.method} ${incoming.url}`);
    if (!steps) {
      app(incoming, outgoing);
      return;
    }
    const { request, response } = asExpressHasThem(incoming, outgoing);
    runSteps(steps, request, response, failed);
  };
  return { listener, messages: messagesOf(app) };
}

/**
 * What `app.handle` makes of every request by giving it another prototype: V8 optimises nothing that handles such an object.
 * Here the requests are made as what they will be.
 */
function messagesOf(app: Express): Messages {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** What Express' `app.handle` and its router do to the two before any step. */
function asExpressHasThem(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): { request: Request; response: Response } {
  const request = incoming as Request;
  const response = outgoing as Response;
  request.res = response;
  response.req = request;
  request.originalUrl = request.url;
  request.baseUrl = "";
  return { request, response };
}

/** One after the other; what one of them throws, or rejects with, is an answer too. */
function runSteps(
  steps: readonly RequestHandler[],
  request: Request,
  response: Response,
  failed: ErrorRequestHandler,
): void {
  let at = 0;
  const next = (error?: unknown): void => {
    const step = steps[at++];
    if (error !== undefined || !step) {
      void failed(error, request, response, next);
      return;
    }
    try {
      const running: unknown = step(request, response, next);
      if (running instanceof Promise) running.catch(next);
    } catch (thrown) {
      next(thrown);
    }
  };
  next();
}
