/**
 * Makes error records that have both shapes at once: the specification's record, and the `modelState` that deployed
 * clients read (protocol facts, section 4, "Errors").
 */
import type { ErrorRequestHandler, Request } from "express";
import type { Logger } from "pino";
import { type AnswerForm, bareStatus } from "../fiscal/answer-form.js";
import { type MeaningLanguage, meaningOfCode } from "../fiscal/code-meanings.js";
import { type ErrorCode, httpStatusOf } from "../fiscal/codes.js";
import { asSupported, chooseLanguage } from "../fiscal/language.js";
import { FiscalError, type Sentence } from "../fiscalizer/fiscal-error.js";
import { SaleNotReady } from "../fiscalizer/sale-not-ready.js";
import { LedgerError } from "../ledger/ledger.js";
import { note } from "./request-facts.js";
import { sendPlainText } from "./respond.js";
import { detailsIn } from "./serbian-details.js";

/** A refusal whose HTTP status does not follow from its code: unknown path, method, host or language, or overload. */
export class HttpError extends FiscalError {
  constructor(
    readonly status: 403 | 404 | 405 | 406 | 503,
    property: string,
    message: string,
    values?: Sentence["values"],
    code: ErrorCode = "2805",
  ) {
    super([{ code, property, message, values }]);
  }
}

export interface ErrorRecord {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: string;
  readonly final?: true;
  readonly modelState: readonly { readonly property: string; readonly errors: readonly ErrorCode[] }[];
}

export const INTERNAL_ERROR = "Internal error. See the service's log for the cause";

const LANGUAGES = { "en-US": "en", "sr-Cyrl-RS": "sr-Cyrl", "sr-Latn-RS": "sr-Latn" } as const;
const CATALOGUES = asSupported(["en-US", "sr-Cyrl-RS", "sr-Latn-RS"]);

/** The language of an error's message: English if we have none that the POS asks for. No error fails by it. */
export function messageLanguage({ headers }: Pick<Request, "headers">): MeaningLanguage {
  return LANGUAGES[chooseLanguage(headers["accept-language"], CATALOGUES) ?? "en-US"];
}

/** `message` is the meaning of the code. `details` says what is wrong in the request; empty if that adds nothing. */
export function errorRecord(error: FiscalError, language: MeaningLanguage = "en"): ErrorRecord {
  const byProperty = new Map<string, ErrorCode[]>();
  for (const { property, code } of error.violations) {
    byProperty.set(property, [...(byProperty.get(property) ?? []), code]);
  }
  return {
    code: error.code,
    message: meaningOfCode(error.code, language),
    details: error.message === meaningOfCode(error.code, "en") ? "" : detailsIn(language, error),
    modelState: [...byProperty].map(([property, errors]) => ({ property, errors })),
    ...(error.final ? { final: true } : {}),
  };
}

/** Answers what handlers throw with error records, or with bare codes. @param log gets unexpected errors */
export function errorHandler(
  log: Logger,
  formOf: (request: Request) => AnswerForm = () => "specification",
): ErrorRequestHandler {
  return (error: unknown, request, response, _next) => {
    if (response.headersSent) {
      log.error({ err: error }, "answer broke off");
      response.destroy();
      return;
    }
    const [status, refusal] = refusalOf(error, log);
    note(request, { code: refusal.code });
    // An overload keeps its 503 and its record: a POS has to send the request again.
    const bare = status === 503 ? undefined : bareStatus(formOf(request), refusal.code);
    if (bare !== undefined) {
      sendPlainText(response.status(bare), refusal.code);
      return;
    }
    // A card usually takes less than one second for a signature.
    if (status === 503) response.setHeader("Retry-After", "1");
    // The rest of the body may still arrive.
    if (status === 503 && error instanceof HttpError) response.setHeader("Connection", "close");
    response.status(status).json(errorRecord(refusal, messageLanguage(request)));
  };
}

/** The HTTP status of an error, and its refusal. @param log gets unexpected errors */
export function refusalOf(error: unknown, log: Logger): readonly [number, FiscalError] {
  if (error instanceof HttpError) return [error.status, error];
  if (error instanceof SaleNotReady) return [503, error];
  if (error instanceof FiscalError) return [httpStatusOf(error.code), error];
  const { status, message } = error as { status?: unknown; message?: unknown };
  // Express gives its errors about a request such a status.
  if (typeof status === "number" && status >= 400 && status <= 499) {
    return [400, FiscalError.of("2806", "body", "The request cannot be read: {reason}", { reason: String(message) })];
  }
  const ofLedger = error instanceof LedgerError;
  log.error({ err: error }, ofLedger ? "ledger" : "request failed");
  const details = ofLedger ? error.message : INTERNAL_ERROR;
  return [500, FiscalError.of("1999", "", details)];
}
