/**
 * PINs are kept nowhere (design, "never", 3): not in the journal, not in a recording, wherever a till puts them under
 * their name, or as the whole of a body.
 */
import type { IncomingHttpHeaders } from "node:http";

/** Stands for a digit of a PIN. */
export const MASKED = "*";

/** Whatever follows the word, if it is no longer one. */
const PIN_PATH = /\/pin(?![a-z])/i;
/** A field or a parameter of that name, in an address or a body of any endpoint. */
const PIN_FIELD = /((?:\bpin=|["']pin["']\s*:)\s*)(\[[^\]]*\]?|"[^"]*"?|'[^']*'?|[^\s&#,}\]]*)/gi;
/** A body that is four digits and nothing else. */
const BARE_PIN = /^\s*["']?\p{Nd}{4}["']?\s*$/u;
const PIN_HEADER = /pin|^authorization$|^cookie$|^referer$/i;

/** Whether somebody means the PIN endpoint, as the service understands it or not. */
export function isPinPath(path: string): boolean {
  return PIN_PATH.test(path);
}

/** Somebody may have put the PIN into the address. */
export function maskedPath(path: string): string {
  const after = path.search(PIN_PATH);
  return after < 0 ? maskedFields(path) : path.slice(0, after) + withoutDigits(path.slice(after));
}

export function maskedBody(path: string, body: string): string {
  return isPinPath(path) || BARE_PIN.test(body) ? withoutDigits(body) : maskedFields(body);
}

export function maskedHeaders(path: string, headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const hidden = (name: string) => PIN_HEADER.test(name) || (isPinPath(path) && name === "requestid");
  const entries = Object.entries(headers).map(([name, value]) => {
    const text = Array.isArray(value) ? value.join(", ") : value;
    return [name, hidden(name) && text !== undefined ? withoutDigits(text) : value];
  });
  return Object.fromEntries(entries) as IncomingHttpHeaders;
}

function maskedFields(text: string): string {
  return text.replaceAll(PIN_FIELD, (_whole, name: string, value: string) => name + withoutDigits(value));
}

/** Digits of every script: a till may send those of a keyboard. */
function withoutDigits(text: string): string {
  return text.replaceAll(/\p{Nd}/gu, MASKED);
}
