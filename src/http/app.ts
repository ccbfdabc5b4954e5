/** The REST interface: guard, body, endpoints, errors. */
import express, { type Express, type RequestHandler, Router } from "express";
import type { Logger } from "pino";
import { rawBody } from "./body.js";
import { errorHandler, HttpError } from "./errors.js";
import { type GuardOptions, guard } from "./guard.js";
import type { InvoiceHandlers } from "./invoices.js";

export interface AppHandlers {
  readonly invoices: InvoiceHandlers;
  readonly pin: RequestHandler;
  readonly status: RequestHandler;
  readonly environmentParameters: RequestHandler;
}

export interface AppOptions extends GuardOptions {
  /** A path segment that may stand in front of /api/v3. */
  readonly pathSegment?: string;
}

export const API_PREFIX = "/api/v3";

export function createApp(handlers: AppHandlers, options: AppOptions, log: Logger): Express {
  const app = express();
  app.disable("x-powered-by");
  app.disable("etag");
  app.use(guard(options));
  const api = apiRouter(handlers);
  app.use(API_PREFIX, api);
  if (options.pathSegment !== undefined) app.use(`/${options.pathSegment}${API_PREFIX}`, api);
  app.use((request) => {
    throw new HttpError(404, "path", `There is nothing at ${request.path}; the interface is under ${API_PREFIX}`);
  });
  app.use(errorHandler(log));
  return app;
}

function apiRouter({ invoices, pin, status, environmentParameters }: AppHandlers): Router {
  const router = Router();
  router
    .route("/attention")
    .get((_request, response) => void response.status(200).end())
    .all(notAllowed("GET"));
  router.route("/pin").post(rawBody, pin).all(notAllowed("POST"));
  router.route("/status").get(status).all(notAllowed("GET"));
  router.route("/environment-parameters").get(environmentParameters).all(notAllowed("GET"));
  router.route("/invoices").post(rawBody, invoices.post).all(notAllowed("POST"));
  router.route("/invoices/:requestId").get(invoices.get).all(notAllowed("GET"));
  router.route("/test-invoice").post(rawBody, invoices.postTest).all(notAllowed("POST"));
  return router;
}

function notAllowed(allowed: "GET" | "POST"): RequestHandler {
  return (request, response) => {
    response.setHeader("Allow", allowed);
    throw new HttpError(405, "method", `${request.method} is not allowed here, ${allowed} is`);
  };
}
