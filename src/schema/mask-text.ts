/** Masks digits in a text, also digits that are written as %31, \u0031 or &#49;. */

/** Replaces a digit of a PIN. */
export const MASKED = "*";

/**
 * Maximum number of characters of a text that is searched for PINs. A search in a longer text would keep other callers
 * waiting: see {@link starred}.
 */
export const MOST_SEARCHED = 16_384;

/** Matches invisible characters between digits: marks, format characters, every second byte of UTF-16. */
const UNSEEN = "[\\p{M}\\p{Cf}\\0]*";
/** Matches a run of exactly four digits. The lookahead at the start limits the lookbehind to digits. */
const FOUR_DIGITS = new RegExp(`(?=\\p{N})(?<!\\p{N}${UNSEEN})\\p{N}(?:${UNSEEN}\\p{N}){3}(?!${UNSEEN}\\p{N})`, "gu");
/** Matches four digits or more in hexadecimal, as in an APDU: 01020304, or 31 32 33 34 in ASCII. */
const FOUR_BYTES = /0\d(?: ?0\d){3,}|3\d(?: ?3\d){3,}/g;
const PIN_NAME = /pin/i;
const DIGIT = /\p{N}/gu;
const DIGITS = /\p{N}+/gu;
const MAY_BE_ENCODED = /[%\\&]/;
/** A quick check whether a text may have digits, because most texts have none. */
const MAY_HAVE_DIGITS = /[\p{N}%\\&]/u;

/** Matches texts of printable ASCII, tabs and line breaks. */
const PLAIN = /^[\t\n\r -~]*$/;
/** A quick check for the patterns above, and for JSON numbers that are four digits in another form. */
const MAY_BE_PIN = /[\\%&]|pin|(?<!\d)\d{4}(?!\d)|[03]\d(?: ?[03]\d){3}|\de/i;

/** Whether a quick check shows that a text, JSON or not, needs no masking. If false, a closer check must decide. */
export function isHarmless(text: string): boolean {
  return PLAIN.test(text) && !MAY_BE_PIN.test(text);
}

/**
 * Masks every run of exactly four digits, and every digit after a name that contains `pin`. A text of over {@link MOST_SEARCHED}
 * characters that may have a PIN is {@link starred}.
 */
export function maskedText(text: string): string {
  if (isHarmless(text)) return text;
  if (text.length > MOST_SEARCHED) return withoutDigits(text);
  return masked(text, (read) => [...spans(read, FOUR_DIGITS), ...spans(read, FOUR_BYTES), ...afterPinName(read)]);
}

/**
 * Masks a text that has fields in an unknown form, such as XML. We cannot see where a field ends, so a text that
 * contains `pin` loses all its digits.
 */
export function maskedForm(text: string): string {
  return text.length > MOST_SEARCHED || PIN_NAME.test(decoded(text).read) ? withoutDigits(text) : maskedText(text);
}

export function withoutDigits(text: string): string {
  if (text.length > MOST_SEARCHED) return starred(text);
  // Most texts have no codes, and need no slow decoding.
  if (!MAY_BE_ENCODED.test(text)) return text.replaceAll(DIGIT, MASKED);
  return masked(text, (read) => [[0, read.length]]);
}

/**
 * Masks the parts of a long text quickly: each digit and each code becomes a star, also the code of another character.
 */
export function withoutDigitsOrCodes(text: string): string {
  const codeless = MAY_BE_ENCODED.test(text) ? text.replaceAll(ENCODED, MASKED) : text;
  return codeless.replaceAll(DIGIT, MASKED);
}

/**
 * Masks a long text quickly: each code, each digit and each byte outside of ASCII becomes a star. Brackets, quotes and
 * commas stay, so that a service refuses a recording of the text in the same way as the text.
 */
function starred(text: string): string {
  const bytes = Buffer.from(MAY_BE_ENCODED.test(text) ? text.replaceAll(ENCODED, MASKED) : text);
  // This loop takes a quarter of the time of a loop over entries().
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte > 0x7f || (byte >= 0x30 && byte <= 0x39)) bytes[at] = STAR;
  }
  return bytes.toString("latin1");
}

type Span = readonly [from: number, to: number];

function spans(read: string, pattern: RegExp): Span[] {
  return [...read.matchAll(pattern)].map(({ index, 0: match }) => [index, index + match.length]);
}

/**
 * Finds the value after a name that contains `pin`, in an address, or in JSON inside a text. The value may be nested,
 * so its end is unknown, and the rest of the text counts as the value.
 */
function afterPinName(read: string): Span[] {
  const name = read.search(PIN_NAME);
  const sign = name < 0 ? -1 : read.slice(name).search(/[=:]/);
  return sign < 0 ? [] : [[name + sign, read.length]];
}

const STAR = MASKED.charCodeAt(0);

/** Masks digits in some parts of a text. @param hidden finds the parts of the decoded text whose digits are masked */
function masked(text: string, hidden: (read: string) => readonly Span[]): string {
  if (!MAY_HAVE_DIGITS.test(text)) return text;
  const { read, startOf } = decoded(text);
  const isHidden = new Uint8Array(read.length);
  for (const [from, to] of hidden(read)) {
    for (const { index, 0: digits } of read.slice(from, to).matchAll(DIGITS)) {
      isHidden.fill(1, from + index, from + index + digits.length);
    }
  }
  let result = "";
  let copied = 0;
  for (let from = isHidden.indexOf(1); from >= 0; from = isHidden.indexOf(1, from)) {
    const end = isHidden.indexOf(0, from);
    const to = end < 0 ? read.length : end;
    result += text.slice(copied, startOf(from)) + read.slice(from, to).replaceAll(DIGIT, MASKED);
    copied = startOf(to);
    from = to;
  }
  return result + text.slice(copied);
}

interface Decoded {
  /** The decoded text. */
  readonly read: string;
  /** Returns the position of a decoded character in the original text. */
  readonly startOf: (index: number) => number;
}

const ENCODED = /(?:%[0-9a-f]{2})+|\\u[0-9a-f]{4}|\\u\{[0-9a-f]{1,6}\}|\\x[0-9a-f]{2}|&#\d{1,9};|&#x[0-9a-f]{1,9};/gi;

function decoded(text: string): Decoded {
  const parts: string[] = [];
  const starts: number[] = [];
  let length = 0;
  let copied = 0;
  const copy = (to: number) => {
    for (let at = copied; at < to; at++) starts[length++] = at;
    parts.push(text.slice(copied, to));
  };
  for (const { index, 0: code } of text.matchAll(ENCODED)) {
    copy(index);
    let start = index;
    for (const char of charactersOf(code)) {
      const end = code.startsWith("%") ? start + 3 * Buffer.byteLength(char) : index + code.length;
      starts[length++] = start;
      if (char.length === 2) starts[length++] = end;
      parts.push(char);
      start = end;
    }
    copied = index + code.length;
  }
  if (length === 0) return { read: text, startOf: (index) => index };
  copy(text.length);
  starts[length] = text.length;
  return { read: parts.join(""), startOf: (index) => starts[index] ?? text.length };
}

function charactersOf(code: string): string {
  if (!code.startsWith("%")) {
    const number = /^&#\d/.test(code)
      ? Number(code.slice(2, -1))
      : Number.parseInt(/[0-9a-f]+(?=\}?;?$)/i.exec(code)?.[0] ?? "0", 16);
    return String.fromCodePoint(Math.min(number, 0x10ffff));
  }
  const bytes = Buffer.from(code.replaceAll("%", ""), "hex");
  const text = bytes.toString("utf8");
  // Bytes that are not UTF-8 are read one by one.
  return Buffer.from(text).equals(bytes) ? text : bytes.toString("ascii");
}
