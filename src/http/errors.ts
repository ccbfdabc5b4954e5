/**
 * Errors in both shapes at once: the specification's record, and the `modelState` that deployed
 * clients read (protocol facts, section 4, "Errors").
 */
import type { ErrorRequestHandler, Response } from "express";
import type { Logger } from "pino";
import { describeCode, type ErrorCode, httpStatusOf } from "../fiscal/codes.js";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { BODY_LIMIT_BYTES } from "./body.js";

/** A refusal whose HTTP status is HTTP's own, not the code's: unknown path, method, host or language. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  constructor(
    readonly status: 403 | 404 | 405 | 406,
    readonly property: string,
    message: string,
  ) {
    super(message);
  }
}

export interface ErrorRecord {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: string;
  readonly modelState: readonly { readonly property: string; readonly errors: readonly ErrorCode[] }[];
}

export function errorRecord(error: FiscalError): ErrorRecord {
  const byProperty = new Map<string, ErrorCode[]>();
  for (const { property, code } of error.violations) {
    byProperty.set(property, [...(byProperty.get(property) ?? []), code]);
  }
  return {
    code: error.code,
    message: describeCode(error.code).meaning,
    details: error.message,
    modelState: [...byProperty].map(([property, errors]) => ({ property, errors })),
  };
}

/** @param log told about what nobody expected */
export function errorHandler(log: Logger): ErrorRequestHandler {
  return (error: unknown, _request, response, _next) => {
    if (response.headersSent) {
      log.error({ err: error }, "answer broke off");
      response.destroy();
      return;
    }
    if (error instanceof HttpError) {
      send(response, error.status, FiscalError.of("2805", error.property, error.message));
    } else if (error instanceof FiscalError) {
      send(response, httpStatusOf(error.code), error);
    } else {
      const refused = parserRefusal(error);
      if (refused) {
        send(response, 400, refused);
      } else {
        log.error({ err: error }, "request failed");
        send(response, 500, FiscalError.of("1999", "", "The service failed; its log says why"));
      }
    }
  };
}

function send(response: Response, status: number, error: FiscalError): void {
  response.status(status).json(errorRecord(error));
}

/** Errors of Express and its body parser about what the caller sent: all of them carry a 4xx status. */
function parserRefusal(error: unknown): FiscalError | undefined {
  const { status, type, message } = error as { status?: unknown; type?: unknown; message?: unknown };
  if (typeof status !== "number" || status < 400 || status > 499) return undefined;
  if (type === "entity.too.large") {
    return FiscalError.of("2801", "body", `The body is larger than ${BODY_LIMIT_BYTES} bytes`);
  }
  return FiscalError.of("2806", "body", `The request cannot be read: ${String(message)}`);
}
