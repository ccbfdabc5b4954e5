/**
 * Masks PINs, so that they are stored nowhere (docs/security.md, "Recordings and the traffic log"): neither in the
 * traffic log nor in a recording. A POS may put a PIN anywhere, so every run of exactly four digits in a request is
 * masked, except in an invoice's fields and in RequestId. Answers never contain a PIN.
 */
import type { IncomingHttpHeaders } from "node:http";
import { isHarmless, MASKED, maskedForm, maskedText, withoutDigits } from "../../schema/mask-text.js";
import { invoiceSchema } from "../invoice-schema.js";
import { LIMITS } from "../limits.js";
import { maskedJson, placeOf } from "./mask-json.js";

export { MASKED } from "../../schema/mask-text.js";

/** Matches paths that look like the PIN endpoint, valid or not. All digits of requests to such a path are masked. */
const PIN_PATH = /\/pin(?![a-z])/i;
const INVOICE_PATH = /\/api\/v3\/(?:invoices|test-invoice)\/?(?:[?#]|$)/i;
/** The groups of this pattern are the path before the RequestId, the RequestId, and the path after the RequestId. */
const REQUEST_ID_PATH = /^(.*?\/api\/v3\/invoices\/)([^/?#]+)(\/?(?:[?#].*)?)$/i;

const INVOICE = placeOf(invoiceSchema({ negativeItems: true }));

/** Matches headers whose values are secrets in any form. */
const SECRET_HEADER = /^(authorization|proxy-authorization|cookie|pac)$/;
const PIN_HEADER = /pin|^referer$/i;
/** Matches headers in which four digits are a port. */
const AUTHORITY_HEADER = /^(host|origin)$/;
const PORT = /^(.*?)((?<=[\w\].-]):\d{1,5})$/;

/** Common headers whose names need no masking and whose values are text. */
const PLAIN_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "accept-language",
  "connection",
  "content-type",
  "user-agent",
]);

export function isPinPath(path: string): boolean {
  return PIN_PATH.test(path);
}

/**
 * Two patterns find a value: one its name, the other its end. A single pattern took a minute for a long address,
 * because it would try each start of a name with each end.
 */
const QUERY_NAME = /[?&][^?&=#]*=/g;
const SECRET_NAME = /token|secret|password|passphrase/i;
const AFTER_VALUE = /[&#]/g;

/** Masks an address. @param segment the path segment that the settings allow in front of the interface */
export function maskedPath(path: string, segment?: string): string {
  return withoutPin(withoutSecrets(path), segment);
}

/** Masks tokens and other secrets in an address. They do not belong there, but a caller may send them. */
function withoutSecrets(path: string): string {
  let masked = "";
  let copied = 0;
  for (const { index, 0: name } of path.matchAll(QUERY_NAME)) {
    if (index < copied || !SECRET_NAME.test(name)) continue;
    const value = index + name.length;
    masked += path.slice(copied, value) + MASKED.repeat(4);
    AFTER_VALUE.lastIndex = value;
    copied = AFTER_VALUE.exec(path)?.index ?? path.length;
  }
  return masked + path.slice(copied);
}

function withoutPin(path: string, segment?: string): string {
  const front = `/${segment}/`;
  if (segment !== undefined && path.startsWith(front))
    return front + withoutPin(`/${path.slice(front.length)}`).slice(1);
  const pin = path.search(PIN_PATH);
  if (pin >= 0) return maskedText(path.slice(0, pin)) + withoutDigits(path.slice(pin));
  const [, before, requestId = "", after = ""] = REQUEST_ID_PATH.exec(path) ?? [];
  return before === undefined ? maskedText(path) : maskedText(before) + requestId + maskedText(after);
}

/**
 * If a body is too long to be read, only its beginning is kept, without digits: a search for PINs would keep other
 * requests waiting. The beginning is still too long, so that a recording of the request is refused too.
 */
export function maskedBody(path: string, body: string): string {
  const { value: most } = LIMITS.jsonCharacters;
  if (body.length > most) return `${withoutDigits(body.slice(0, most))}…`;
  // Do not parse an empty body, because that would be the most expensive step for a GET.
  if (body === "") return body;
  if (isPinPath(path)) return withoutDigits(body);
  if (isHarmless(body)) return body;
  return maskedJson(body, INVOICE_PATH.test(path) ? INVOICE : undefined) ?? maskedForm(body);
}

/** Masks the RequestId of a PIN request, which may be the PIN. Other RequestIds are kept. */
export function maskedRequestId(path: string, requestId: string): string {
  return isPinPath(path) ? withoutDigits(requestId) : requestId;
}

export function maskedHeaders(path: string, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const entries = Object.entries(headers).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(", ") : (value ?? "");
    return PLAIN_HEADERS.has(name) ? [name, maskedText(text)] : [maskedText(name), maskedHeader(path, name, text)];
  });
  return Object.fromEntries(entries) as IncomingHttpHeaders;
}

function maskedHeader(path: string, name: string, value: string): string {
  if (SECRET_HEADER.test(name)) return MASKED.repeat(4);
  if (PIN_HEADER.test(name)) return withoutDigits(value);
  if (name === "requestid") return maskedRequestId(path, value);
  if (name === "content-length") return value;
  const [, authority, port = ""] = (AUTHORITY_HEADER.test(name) && PORT.exec(value)) || [];
  return authority === undefined ? maskedText(value) : maskedText(authority) + port;
}
