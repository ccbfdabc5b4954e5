/** Lines of a 40 column receipt (protocol facts, section 6). Columns count code points. */
import { divideHalfUp, type Scaled, toFixed } from "../money.js";

export const COLUMNS = 40;
export const DOUBLE_LINE = "=".repeat(COLUMNS);
export const SINGLE_LINE = "-".repeat(COLUMNS);

/**
 * A wider centred text breaks between words. On real receipts 38 columns fit on one line and 40 are broken; no known
 * receipt shows 39.
 */
const CENTRED_COLUMNS = 39;

export function widthOf(text: string): number {
  return [...text].length;
}

function padLeft(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - widthOf(text))) + text;
}

export function padRight(text: string): string {
  return text + " ".repeat(Math.max(0, COLUMNS - widthOf(text)));
}

function chunks(text: string, width: number): string[] {
  const points = [...text];
  const count = Math.max(1, Math.ceil(points.length / width));
  return Array.from({ length: count }, (_, i) => points.slice(i * width, (i + 1) * width).join(""));
}

/** Breaks at 40 columns, also within a word; the rest is padded. */
export function brokenHard(text: string): string[] {
  return chunks(text, COLUMNS).map(padRight);
}

/** A label and its right-aligned value fill 40 columns, with at least one space between them. */
function spread(label: string, value: string): string {
  return label + padLeft(value, Math.max(COLUMNS - widthOf(label), widthOf(value) + 1));
}

/** A label and a text; if they do not fit, `label text` breaks hard at 40. */
export function labelled(label: string, text: string): string[] {
  return brokenHard(spread(label, text));
}

/** A label and an amount; an amount is never broken, the line grows instead. */
export function labelledAmount(label: string, amount: Scaled): string {
  return spread(label, number(amount, 2));
}

/** Centred with a filler, the smaller half on the left. */
export function centred(text: string, filler: string): string {
  const room = Math.max(0, COLUMNS - widthOf(text));
  const left = Math.floor(room / 2);
  return filler.repeat(left) + text + filler.repeat(room - left);
}

/** Centres a text on as many lines as it needs. Trailing spaces count if the text fits on one line. */
export function centredLines(text: string): string[] {
  const parts = widthOf(text) <= CENTRED_COLUMNS ? [text] : betweenWords(text);
  return parts.map((part) => centred(part, " "));
}

/** Breaks between words; a word that is too wide is broken too. */
function betweenWords(text: string): string[] {
  const words = text.trim().split(/ +/);
  const parts: string[] = [];
  for (const word of words.flatMap((whole) => chunks(whole, CENTRED_COLUMNS))) {
    const last = parts.pop();
    const together = last === undefined ? word : `${last} ${word}`;
    if (last !== undefined && widthOf(together) > CENTRED_COLUMNS) parts.push(last, word);
    else parts.push(together);
  }
  return parts;
}

/**
 * Values that end at given columns. A value that is too wide moves the next ones, with one space between them: a number
 * is never broken, the line grows instead.
 */
export function columns(...cells: readonly (readonly [text: string, endColumn: number])[]): string {
  return cells.reduce((line, [text, end]) => {
    const gap = end - widthOf(line) - widthOf(text);
    return line + " ".repeat(Math.max(gap, line === "" ? 0 : 1)) + text;
  }, "");
}

/** `1.234,50`: dot for thousands, comma for decimals, rounded half up. */
export function number(value: Scaled, decimals: 0 | 2 | 3): string {
  const [whole = "", fraction] = toFixed(value, decimals).split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ".");
  return fraction === undefined ? grouped : `${grouped},${fraction}`;
}

/** Whole quantities have no decimals, others three. */
export function quantity(value: Scaled): string {
  return number(value, divideHalfUp(value, 10_000n) * 10_000n === value ? 0 : 3);
}
