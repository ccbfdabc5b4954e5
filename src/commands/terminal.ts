/**
 * Writes results to stdout and reasons for failure to stderr, and asks questions. No text from a card, a file or a
 * service can control the terminal. A PIN never comes from an argument or a variable.
 */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { CommanderError } from "commander";
import { printable, printableText } from "../base/printable.js";
import { jsonText, linesText, tableLines } from "../base/terminal-text.js";
import { codeOf } from "../base/thrown.js";
import { EXIT, UserError } from "../base/user-error.js";
import type { Missing } from "../secure-element/pcsc/missing.js";
import { endWith, surroundings } from "./surroundings.js";

/** @returns whether stdout takes more at once */
export function print(text: string): boolean {
  return surroundings().stdout.write(printableText(text));
}

export function notice(text: string): void {
  surroundings().stderr.write(printableText(text));
}

export function complain(message: string): void {
  notice(`tillseal: ${message}\n`);
}

/** Shows progress in place of the last progress, but only on a terminal. @param text "" at the end */
export function showProgress(text: string): void {
  const { stderr } = surroundings();
  if (stderr.isTTY) stderr.write(`\r\u001b[K${printable(text)}`);
}

export function printLines(lines: readonly string[]): void {
  print(linesText(lines));
}

export function printTable(rows: readonly (readonly string[])[]): void {
  printLines(tableLines(rows));
}

export function printJson(value: unknown): void {
  print(jsonText(value));
}

/** Says what is missing, and sets exit status 1. Programs get the same sentence as people, and the kind. */
export function sayMissing(kind: Missing | "card-error", message: string, json: boolean): void {
  if (json) printJson({ missing: kind, message });
  else complain(message);
  endWith(1);
}

/** Prints a message for a mistake of the user, and a stack trace for a mistake in tillseal. @returns the exit status */
export function explainFailure(error: unknown): number {
  // Commander has printed its error already. Help and version are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  complain(explanationOf(error));
  return error instanceof UserError ? error.status : EXIT.failed;
}

function explanationOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // The system's errors name what failed: `EACCES: permission denied, open '/data/tillseal.db'`.
  const isOfTheSystem = "syscall" in error || codeOf(error)?.startsWith("SQLITE_") === true;
  return error instanceof UserError || isOfTheSystem ? error.message : (error.stack ?? error.message);
}

/** Asks a question that is answered with yes or no. @param question text without the possible answers */
export async function agreed(question: string): Promise<boolean> {
  const { stdin: input, stdout: output } = surroundings();
  const terminal = createInterface({ input, output });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${printable(question)} [y/N] `)).trim());
  } catch (error) {
    // Ctrl-C and Ctrl-D mean no. End the line of the question, so that the next message begins on its own line.
    if (codeOf(error) !== "ABORT_ERR") throw error;
    print("\n");
    return false;
  } finally {
    terminal.close();
  }
}

/** Asks for the PIN of the key in the card: the first line of the input, which a terminal does not show. */
export async function askedKeyPin(): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const { stdin } = surroundings();
  if (stdin.isTTY) notice("PIN of the key in the card: ");
  const terminal = createInterface({ input: stdin, output, terminal: stdin.isTTY === true });
  try {
    for await (const line of terminal) return line.trim();
    throw new UserError("expected the PIN on standard input");
  } finally {
    terminal.close();
    if (stdin.isTTY) notice("\n");
  }
}
