/**
 * Handles the paths that a POS calls with every sale without Express' routers (docs/decisions/README.md). One
 * look-up in a map finds the steps of a path, which are the same as in Express. Express handles everything else,
 * including other spellings of these paths.
 */
import { IncomingMessage, type RequestListener, type ServerOptions, ServerResponse } from "node:http";
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from "express";

/** The steps of each hot path. A key has method and path as a POS writes them, such as `POST /api/v3/invoices`. */
export type HotPaths = ReadonlyMap<string, readonly RequestHandler[]>;

export type Messages = Required<Pick<ServerOptions, "IncomingMessage" | "ServerResponse">>;

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
    // Prepare both as Express' `app.handle` and its router do before any step.
    const request = incoming as Request;
    const response = outgoing as Response;
    request.res = response;
    response.req = request;
    request.originalUrl = request.url;
    request.baseUrl = "";
    // Run the steps one after the other. The error of a step that throws or rejects becomes the answer.
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
  };
  return { listener, messages: messagesOf(app) };
}

/**
 * Classes that give requests and responses their final prototype from the beginning. Express' `app.handle` would change
 * the prototype of every request, which keeps V8 from optimising the code that handles requests.
 */
function messagesOf(app: Express): Messages {
  class AppRequest extends IncomingMessage {}
  class AppResponse<R extends IncomingMessage> extends ServerResponse<R> {}
  Object.setPrototypeOf(AppRequest.prototype, app.request);
  Object.setPrototypeOf(AppResponse.prototype, app.response);
  return { IncomingMessage: AppRequest, ServerResponse: AppResponse };
}
