/** The body of a request: bytes, at most 1 MiB, then text, then JSON with exact numbers. */
import type { Request } from "express";
import express from "express";
import { parse } from "lossless-json";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { JsonNumber } from "../schema/decimal.js";

/** Larger bodies are refused with 2801. */
export const BODY_LIMIT_BYTES = 1024 * 1024;
/** Nested deeper than any invoice; the parser must not run out of stack. */
const MAX_DEPTH = 32;

/** Whatever the content type says: the handlers decide what they take. */
export const rawBody = express.raw({ type: () => true, limit: BODY_LIMIT_BYTES });

/** @throws FiscalError 2806 where the bytes are no UTF-8 */
export function bodyText(request: Request): string {
  const bytes: unknown = request.body;
  if (!Buffer.isBuffer(bytes)) return "";
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw FiscalError.of("2806", "body", "The body is not valid UTF-8");
  }
}

/** Whether the content type is JSON, with or without parameters. */
export function isJson(request: Request): boolean {
  const type = (request.headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  return type === "application/json" || type === "text/json" || type.endsWith("+json");
}

/** @throws FiscalError 2806 where the content type is not JSON or the body does not parse */
export function jsonBody(request: Request): unknown {
  if (!isJson(request)) {
    throw FiscalError.of("2806", "Content-Type", "The body must be sent with Content-Type: application/json");
  }
  return parseJson(bodyText(request));
}

/**
 * JSON with numbers kept as they were written. Duplicate keys with different values are refused: nobody could say
 * which one was meant.
 * @throws FiscalError 2806
 */
export function parseJson(text: string): unknown {
  if (depthOf(text) > MAX_DEPTH)
    throw FiscalError.of("2806", "body", `The body is nested deeper than ${MAX_DEPTH} levels`);
  try {
    return parse(text, null, (number) => new JsonNumber(number));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw FiscalError.of("2806", "body", `The body is not JSON: ${reason}`);
  }
}

function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === "\\") i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{" || char === "[") deepest = Math.max(deepest, ++depth);
    else if (char === "}" || char === "]") depth--;
  }
  return deepest;
}
