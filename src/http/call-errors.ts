/** Errors of the interfaces for developers: `{ message, details[] }`. */
import type { ErrorRequestHandler, Response } from "express";
import type { Logger } from "pino";
import { UserError } from "../base/user-error.js";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { HttpError } from "./errors.js";
import type { Limit } from "./limits.js";

/** An error of a caller who asks for something impossible. */
export class CallError extends Error {
  override readonly name = "CallError";
  constructor(
    readonly status: 400 | 401 | 403 | 404,
    message: string,
    readonly details: readonly string[] = [],
  ) {
    super(message);
  }
}

/** An error of a caller who exceeds a limit. */
export class LimitError extends CallError {
  constructor({ sentence }: Limit) {
    super(400, sentence);
  }
}

/** Makes the handler that answers errors. @param log gets unexpected errors */
export function callErrors(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    if (error instanceof CallError) send(response, error.status, error.message, error.details);
    else if (error instanceof HttpError) send(response, error.status, error.message);
    else if (error instanceof FiscalError || error instanceof UserError) send(response, 400, error.message);
    else if (isParserRefusal(error)) send(response, 400, `The request cannot be read: ${error.message}`);
    else {
      log.error({ err: error }, "control request failed");
      send(response, 500, "Internal error of the control interface. See the log for the cause");
    }
  };
}

/** Whether Express or its body parser refused the request. All these errors have a 4xx status. */
function isParserRefusal(error: unknown): error is Error {
  const status = error instanceof Error && "status" in error ? error.status : undefined;
  return typeof status === "number" && status >= 400 && status <= 499;
}

export function callRecord(message: string, details: readonly string[] = []): object {
  return { message, details };
}

function send(response: Response, status: number, message: string, details: readonly string[] = []): void {
  if (status === 503) response.set({ "Retry-After": "1", Connection: "close" });
  response.status(status).json(callRecord(message, details));
}
