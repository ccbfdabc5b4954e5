/** Asks a person on the terminal. */
import { createInterface } from "node:readline/promises";
import { EXIT, UserError } from "../base/user-error.js";

/** @param question without the possible answers @param without what to do without a terminal @throws UserError without one */
export async function agreed(question: string, without: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UserError(without, EXIT.usage);
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(`${question} [y/N] `)).trim());
  } finally {
    terminal.close();
  }
}
