/** Errors of calls, as one record: `{ message, details: [] }`, and `code` if the catalogue has one for the error. */
import type { ErrorRequestHandler, Request } from "express";
import type { Logger } from "pino";
import { UserError } from "../base/user-error.js";
import type { ErrorCode, FiscalCode } from "../fiscal/codes.js";
import { errorRecord, HttpError, messageLanguage, refusalOf } from "./errors.js";
import type { Limit } from "./limits.js";
import { note } from "./request-facts.js";

/** An error of a caller who asks for something impossible. */
export class CallError extends Error {
  override readonly name = "CallError";
  /** @param more other fields of the record */
  constructor(
    readonly status: number,
    message: string,
    readonly details: readonly string[] = [],
    readonly more: Readonly<Record<string, unknown>> & { readonly code?: FiscalCode | ErrorCode } = {},
  ) {
    super(message);
  }
}

export class LimitError extends CallError {
  constructor({ sentence }: Limit) {
    super(400, sentence);
  }
}

/** Makes the handler that answers errors. @param log gets unexpected errors */
export function callErrors(log: Logger): ErrorRequestHandler {
  return (error: unknown, request, response, next) => {
    if (response.headersSent) {
      next(error);
      return;
    }
    const { status, message, details, more } = callError(error, request, log);
    if (more.code) note(request, { code: more.code });
    if (status === 503) response.set({ "Retry-After": "1", Connection: "close" });
    response.status(status).json({ ...callRecord(message, details), ...more });
  };
}

function callError(error: unknown, request: Request, log: Logger): CallError {
  if (error instanceof CallError) return error;
  if (error instanceof UserError) return new CallError(400, error.message);
  const [status, refusal] = refusalOf(error, log);
  const { code, message, details } = errorRecord(refusal, messageLanguage(request));
  // The code of an HttpError says less than its status.
  return new CallError(status, details || message, [], error instanceof HttpError ? {} : { code });
}

export function callRecord(message: string, details: readonly string[] = []): object {
  return { message, details };
}
