/** Errors of the emulated authority's API: `{ message }`. */
import type { ErrorRequestHandler } from "express";
import type { Logger } from "pino";
import { FiscalError } from "../../src/fiscalizer/fiscal-error.js";
import { HttpError } from "../../src/http/errors.js";

export class ApiError extends Error {
  override readonly name = "ApiError";

  /** @param message what is wrong and what to do */
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 409,
    message: string,
  ) {
    super(message);
  }
}

/** @param log hears of what is a fault of this server */
export function apiErrors(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    if (response.headersSent) {
      response.destroy();
      return;
    }
    const [status, message] = statusAndMessage(error);
    if (status === 500) log.error({ err: error }, "the emulated authority failed");
    response.status(status).json({ message });
  };
}

function statusAndMessage(error: unknown): [status: number, message: string] {
  if (error instanceof ApiError || error instanceof HttpError) return [error.status, error.message];
  if (error instanceof FiscalError) return [400, error.message];
  // Errors of Express about what the caller sent carry a 4xx status.
  const { status } = error as { status?: unknown };
  if (typeof status === "number" && status >= 400 && status <= 499 && error instanceof Error)
    return [status, error.message];
  return [500, "The emulated authority failed; its log says why"];
}
