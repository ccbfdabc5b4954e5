/** Text that commands print for people: lines, tables, and the word that starts a line with a verdict. */
import { printable } from "./printable.js";

/** The word at the start of a line. All are equally wide, so that the lines below each other align. */
export const VERDICT_WORDS = {
  ok: "ok  ",
  warn: "warn",
  fail: "FAIL",
  note: "note",
  notApplicable: "n/a ",
} as const;

const GAP = "  ";

/** A line for each row, its columns aligned. The last cell of a row is not padded. Control characters are escaped. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const cells = rows.map((row) => row.map(printable));
  const widths: number[] = [];
  for (const row of cells)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return cells.map((row) =>
    row.map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0))).join(GAP),
  );
}

/** Each line with its end. Control characters are escaped: a name from a card cannot steer the terminal. */
export function linesText(lines: readonly string[]): string {
  return lines.map((line) => `${printable(line)}\n`).join("");
}

/** What `--json` prints. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** @param iso ISO 8601, UTC @returns such as `2026-11-22 08:15 UTC` */
export function minuteText(iso: string): string {
  return `${iso.slice(0, 16).replace("T", " ")} UTC`;
}
