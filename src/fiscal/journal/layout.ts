/** Lines of a 40 column receipt (protocol facts, section 6). Columns count code points. */
import { divideHalfUp, type Scaled, toFixed } from "../money.js";

export const COLUMNS = 40;
export const DOUBLE_LINE = "=".repeat(COLUMNS);
export const SINGLE_LINE = "-".repeat(COLUMNS);

export function widthOf(text: string): number {
  return [...text].length;
}

function padLeft(text: string, width: number): string {
  return " ".repeat(Math.max(0, width - widthOf(text))) + text;
}

export function padRight(text: string): string {
  return text + " ".repeat(Math.max(0, COLUMNS - widthOf(text)));
}

/** Breaks hard at 40 columns. */
export function breakHard(text: string): string[] {
  const points = [...text];
  const lines: string[] = [];
  for (let at = 0; at < points.length; at += COLUMNS) lines.push(points.slice(at, at + COLUMNS).join(""));
  return lines.length === 0 ? [""] : lines;
}

/** A label and its right-aligned value fill 40 columns; where they do not fit, `label value` breaks hard at 40. */
export function labelled(label: string, value: string): string[] {
  const room = COLUMNS - widthOf(label);
  return widthOf(value) < room ? [label + padLeft(value, room)] : breakHard(`${label} ${value}`);
}

/** Centred with a filler, the smaller half on the left. */
export function centred(text: string, filler: string): string {
  const room = Math.max(0, COLUMNS - widthOf(text));
  const left = Math.floor(room / 2);
  return filler.repeat(left) + text + filler.repeat(room - left);
}

/** Values that end at given columns. One that is too wide moves the rest on; a line over 40 breaks hard. */
export function columns(...cells: readonly (readonly [text: string, endColumn: number])[]): string[] {
  let line = "";
  for (const [text, end] of cells) {
    const gap = end - widthOf(line) - widthOf(text);
    line += " ".repeat(Math.max(gap, line === "" ? 0 : 1)) + text;
  }
  return breakHard(line);
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
