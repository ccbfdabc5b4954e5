/** The PIN of the key in the card, from the terminal or from standard input: never from an argument or a variable. */
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { UserError } from "../base/user-error.js";

/** The first line; not shown at a terminal. @throws UserError if there is none */
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
