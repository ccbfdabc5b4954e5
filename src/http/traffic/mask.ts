/**
 * Keeps PINs out of the traffic log and of recordings (docs/security.md, "Recordings and the traffic log"). A POS may put
 * a PIN anywhere, so only what we know is kept: the fields of an invoice, RequestId, the interface's paths, and some
 * headers. Of unknown fields only 100 names are kept, which show a typing mistake. Answers never contain a PIN.
 */
import type { IncomingHttpHeaders } from "node:http";
import { MASKED, withoutDigits, withoutPin } from "../../schema/mask-text.js";
import { refusalOf } from "../body.js";
import { invoiceSchema } from "../invoice-schema.js";
import { LIMITS } from "../limits.js";
import { type KnownPlace, knownJson, placeOf } from "./known-json.js";

const HIDDEN = MASKED.repeat(4);

/** Matches paths that look like the PIN endpoint, valid or not. */
const PIN_PATH = /\/pin(?![a-z])/i;
const INVOICE_PATH = /\/api\/v3\/(?:invoices|test-invoice)\/?(?:[?#]|$)/i;
/** The beginning of a path of the interface, with the RequestId of an invoice. */
const KNOWN_PATH = /^\/api\/v3\/(?:invoices\/[^/?#]+)?/i;
const SECRET_NAME = /token|secret|password|passphrase/i;
/** Matches the bodies of a PIN request that a POS may send, with hidden digits. */
const PIN_FORM = /^\uFEFF?[\s*a-z{}":-]{0,100}$/i;

const INVOICE = placeOf(invoiceSchema({ negativeItems: true }));
const NO_FIELDS: KnownPlace = { fields: new Map() };

const ADDRESS_HEADER = /^(host|origin)$/;
const ADDRESS = /^(?:https?:\/\/)?(?:[a-z.-]+|\d{1,3}(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
const QUALITY = /;\s*q=[01](?:\.\d{1,3})?/g;
const KEPT_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "cache-control",
  "connection",
  "content-encoding",
  "content-type",
  "host",
  "origin",
  "sec-fetch-dest",
  "sec-fetch-mode",
  "sec-fetch-site",
  "transfer-encoding",
  "user-agent",
]);

export function isPinPath(path: string): boolean {
  return PIN_PATH.test(path);
}

/** Masks an address. @param segment the path segment that the settings allow in front of the interface */
export function maskedPath(path: string, segment?: string): string {
  const front = `/${segment}/`;
  if (segment !== undefined && path.startsWith(front))
    return front + maskedPath(`/${path.slice(front.length)}`).slice(1);
  const [known = ""] = KNOWN_PATH.exec(path) ?? [];
  const rest = path
    .slice(known.length)
    .split(/(?=[&#])/)
    .map(withoutSecret)
    .join("");
  return known + (isPinPath(path) ? withoutDigits(rest) : withoutPin(rest));
}

/** Hides a token in a part of an address. It does not belong there, but a caller may send it. */
function withoutSecret(part: string): string {
  const name = part.search(SECRET_NAME);
  const value = name < 0 ? 0 : part.indexOf("=", name) + 1;
  return value === 0 ? part : part.slice(0, value) + HIDDEN;
}

/**
 * Masks a body. A body that the service does not read, because it is too large, stays too large, so that a recording
 * of it is refused too. Another body that is not JSON becomes its length.
 */
export function maskedBody(path: string, body: string): string {
  if (body === "") return body;
  if (isPinPath(path)) {
    const form = withoutDigits(body);
    return PIN_FORM.test(form) ? form : lengthOf(body);
  }
  if (refusalOf(body)) return withoutDigits(body.slice(0, LIMITS.jsonCharacters.value + 1));
  try {
    return knownJson(body.replace(/^\uFEFF/, ""), INVOICE_PATH.test(path) ? INVOICE : NO_FIELDS);
  } catch {
    return lengthOf(body);
  }
}

function lengthOf(body: string): string {
  return `(${body.length} characters)`;
}

/** Masks the RequestId of a PIN request, which may be the PIN. Other RequestIds are kept. */
export function maskedRequestId(path: string, requestId: string): string {
  return isPinPath(path) ? withoutDigits(requestId) : requestId;
}

export function maskedHeaders(path: string, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      return [withoutPin(name), maskedHeader(path, name, [value ?? ""].flat().join(", "))];
    }),
  );
}

function maskedHeader(path: string, name: string, value: string): string {
  if (name === "requestid") return maskedRequestId(path, value);
  if (name === "content-length" || (ADDRESS_HEADER.test(name) && ADDRESS.test(value))) return value;
  if (!KEPT_HEADERS.has(name)) return HIDDEN;
  return withoutPin(value.replaceAll(QUALITY, "")) === value.replaceAll(QUALITY, "") ? value : withoutDigits(value);
}
