/**
 * The paths that a POS calls with every sale, without Express' routers (docs/decisions/0016-hot-paths.md): the same
 * steps in the same order, found by one map look-up. Express handles everything else, including other spellings of
 * these paths.
 */
import { IncomingMessage, type RequestListener, ServerResponse } from "node:http";
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from "express";

/** Keys are method and path as a POS writes them: `POST /api/v3/invoices`. */
export type HotPaths = ReadonlyMap<string, readonly RequestHandler[]>;

/** Classes of requests and responses for the server. */
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
 * `app.handle` changes the prototype of every request, which keeps V8 from optimising code that handles it. Here
 * requests are created with their final prototype.
 */
function messagesOf(app: Express): Messages {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}

/** Does what Express' `app.handle` and its router do before any step. */
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

/** Runs the steps one after the other; errors and rejections become answers. */
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
