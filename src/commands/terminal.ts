/** The terminal: a result on stdout, a reason for failure on stderr, and questions. A PIN never comes from an argument or a variable. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { CommanderError } from "commander";
import { jsonText, linesText, tableLines } from "../base/terminal-text.js";
import { codeOf } from "../base/thrown.js";
import { EXIT, UserError } from "../base/user-error.js";
import { ConfigError } from "../config/load.js";
import type { Missing } from "../secure-element/pcsc/missing.js";

export function printLines(lines: readonly string[]): void {
  process.stdout.write(linesText(lines));
}

/** @param rows cells of text, aligned in columns */
export function printTable(rows: readonly (readonly string[])[]): void {
  printLines(tableLines(rows));
}

/** Prints the result of a command with `--json`. */
export function printJson(value: unknown): void {
  process.stdout.write(jsonText(value));
}

/** Explains what is missing, with exit status 1. People and programs get the same sentence; programs also get the kind. */
export function sayMissing(kind: Missing | "card-error", message: string, json: boolean): void {
  if (json) printJson({ missing: kind, message });
  else process.stderr.write(`tillseal: ${message}\n`);
  process.exitCode = 1;
}

/** Prints a message for the user's mistakes, and a stack trace only for ours. @returns the exit status */
export function explainFailure(error: unknown): number {
  // Commander has printed it already; help and version are not errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  process.stderr.write(`tillseal: ${explanationOf(error)}\n`);
  if (error instanceof UserError) return error.status;
  return error instanceof ConfigError ? EXIT.usage : EXIT.failed;
}

function explanationOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const forPeople = error instanceof UserError || error instanceof ConfigError || isOfTheSystem(error);
  return forPeople ? error.message : (error.stack ?? error.message);
}

/** The system's errors name what failed: `EACCES: permission denied, open '/data/tillseal.db'`. */
function isOfTheSystem(error: Error): boolean {
  return "syscall" in error || codeOf(error)?.startsWith("SQLITE_") === true;
}

/** @param question without the possible answers */
export async function agreed(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } catch (error) {
    // Ctrl-C and Ctrl-D mean no. The message begins on its own line.
    if (codeOf(error) !== "ABORT_ERR") throw error;
    process.stdout.write("\n");
    return false;
  } finally {
    terminal.close();
  }
}

/** The PIN of the key in the card: the first line of the input, not shown at a terminal. @throws UserError if there is none */
export async function askedKeyPin(): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  if (process.stdin.isTTY) process.stderr.write("PIN of the key in the card: ");
  const terminal = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY });
  try {
    for await (const line of terminal) return line.trim();
    throw new UserError("expected the PIN on standard input");
  } finally {
    terminal.close();
    if (process.stdin.isTTY) process.stderr.write("\n");
  }
}
