/** Output of a command, on stdout. */
import { jsonText, linesText, tableLines } from "../base/terminal-text.js";

export function printLines(lines: readonly string[]): void {
  process.stdout.write(linesText(lines));
}

/** @param rows cells of text, aligned in columns */
export function printTable(rows: readonly (readonly string[])[]): void {
  printLines(tableLines(rows));
}

/** For `--json`. */
export function printJson(value: unknown): void {
  process.stdout.write(jsonText(value));
}
