/** PINs are kept nowhere: not in the journal, not in a recording, wherever a till has put them (design, "never", 3). */

/** Stands for a digit of a PIN. */
export const MASKED = "*";

const PIN_PATH = /\/pin(?![^/?#])/i;
/** A field or a parameter of that name, in an address or a body of any endpoint. */
const PIN_FIELD = /((?:\bpin=|"pin"\s*:)\s*)("[^"]*"?|[^\s&#,}\]]*)/gi;

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
  return isPinPath(path) ? withoutDigits(body) : maskedFields(body);
}

function maskedFields(text: string): string {
  return text.replaceAll(PIN_FIELD, (_whole, name: string, value: string) => name + withoutDigits(value));
}

/** Digits of every script: a till may send those of a keyboard. */
function withoutDigits(text: string): string {
  return text.replaceAll(/\p{Nd}/gu, MASKED);
}
