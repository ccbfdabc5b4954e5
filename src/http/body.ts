/** Reads the body of a request as bytes, as text, or as JSON with exact numbers. */
import { isUtf8 } from "node:buffer";
import type { Request, RequestHandler } from "express";
import { parse } from "lossless-json";
import { messageOf } from "../base/thrown.js";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { JsonNumber } from "../schema/decimal.js";
import { jsonSize } from "../schema/validator.js";
import { collectBody } from "./collect-body.js";
import { LIMITS } from "./limits.js";

const BYTE_ORDER_MARK = "\uFEFF";

/** Puts the bytes of a body into `request.body`. The handlers decide which content types they accept. */
export const rawBody: RequestHandler = (request, _response, next) => {
  collectBody(request, (refusal, bytes) => {
    request.body = bytes;
    next(refusal);
  });
};

/** The body as text; empty without a body. @throws FiscalError 2806 if the bytes are not UTF-8 */
export function bodyText(request: Request): string {
  const bytes: unknown = request.body;
  if (!Buffer.isBuffer(bytes)) return "";
  if (!isUtf8(bytes)) throw FiscalError.of("2806", "body", "The body is not valid UTF-8");
  const text = bytes.toString("utf8");
  return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
}

/** Whether the content type is JSON, with or without parameters. */
export function isJson(request: Request): boolean {
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return type === "application/json" || type === "text/json" || type.endsWith("+json");
}

/** The body as JSON with exact numbers. @throws FiscalError 2806 for another content type or text */
export function jsonBody(request: Request): unknown {
  if (!isJson(request)) {
    throw FiscalError.of("2806", "Content-Type", "The body must be sent with Content-Type: application/json");
  }
  return parseJson(bodyText(request));
}

/** Parses JSON with exact numbers. Two values of one key are refused. @throws FiscalError 2801, 2806 or 2808 */
export function parseJson(text: string): unknown {
  const refusal = refusalOf(text);
  if (refusal) throw refusal;
  try {
    return parse(text, null, (number) => new JsonNumber(number));
  } catch (error) {
    const reason = messageOf(error);
    // The parser's message quotes the body, which may contain a PIN, and the traffic log does not mask answers.
    const masked = reason.replaceAll(/'[^']*'/g, (quoted) => quoted.replaceAll(/\p{N}/gu, "*"));
    const place = /position (\d+)/.exec(reason)?.[1] ?? text.length;
    throw FiscalError.of("2806", "body", "The body is not JSON: {reason}", { reason: masked, place });
  }
}

/** Parses a body that has no amounts: its numbers become plain numbers. @throws FiscalError as {@link jsonBody} */
export function plainJson(request: Request): unknown {
  jsonBody(request);
  return JSON.parse(bodyText(request)) as unknown;
}

/** The refusal of a text that is too large to be parsed; undefined if the text may be parsed. */
export function refusalOf(text: string): FiscalError | undefined {
  const { depth, values } = jsonSize(text);
  if (depth > LIMITS.depth.value) return FiscalError.of("2806", "body", LIMITS.depth.sentence);
  if (values > LIMITS.values.value) return FiscalError.of("2808", "body", LIMITS.values.sentence);
  if (text.length > LIMITS.jsonCharacters.value) return FiscalError.of("2801", "body", LIMITS.jsonCharacters.sentence);
  return undefined;
}
