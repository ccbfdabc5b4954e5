/**
 * The paths that a POS calls with every sale, past Express' routers (docs/decisions/0016-hot-paths.md): the same steps in the
 * same order, found by one look. Everything else, and these paths in any other spelling, is Express'.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { ErrorRequestHandler, Express, Request, RequestHandler, Response } from "express";

/** By method and address as a POS writes them: `POST /api/v3/invoices`. */
export type HotPaths = ReadonlyMap<string, readonly RequestHandler[]>;

export function withHotPaths(app: Express, paths: HotPaths, failed: ErrorRequestHandler): RequestListener {
  return (incoming, outgoing) => {
    const steps = paths.get(`${incoming.method} ${incoming.url}`);
    if (!steps) {
      app(incoming, outgoing);
      return;
    }
    const { request, response } = asExpressHasThem(app, incoming, outgoing);
    runSteps(steps, request, response, failed);
  };
}

/** What Express' `app.handle` and its router do to the two before any step. */
function asExpressHasThem(
  app: Express,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): { request: Request; response: Response } {
  const request = Object.setPrototypeOf(incoming, app.request) as Request;
  const response = Object.setPrototypeOf(outgoing, app.response) as Response;
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
