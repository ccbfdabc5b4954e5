/** Asks a person on the terminal. A PIN never comes from an argument or a variable. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { codeOf } from "../base/thrown.js";
import { UserError } from "../base/user-error.js";

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
