/** Text that commands print for people: lines, tables, and the word that starts a line with a verdict. */
import { printable } from "./printable.js";

/** The words at the start of a line. All words are equally wide, so that the lines below each other align. */
export const VERDICT_WORDS = {
  ok: "ok  ",
  warn: "warn",
  fail: "FAIL",
  note: "note",
} as const;

const GAP = "  ";

/** Makes a line for each row, with aligned columns; the last cell is not padded. Control characters are escaped. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of cells)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return cells.map((row) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join(GAP),
  );
}

/** Returns the lines with line breaks. Control characters are escaped: no name from a card controls the terminal. */
export function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${printable(line)}\n`).join("");
}

export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Writes a time to the minute, such as `2026-11-22 08:15 UTC`. @param iso ISO 8601, UTC */
export function minuteText(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}
