/** Runs the command that tests a POS: what a person writes after `--`. */
import { spawn } from "node:child_process";
import type { Command } from "commander";
import { messageOf } from "../../src/base/thrown.js";
import { EXIT, UserError } from "../../src/base/user-error.js";
import { surroundings } from "../../src/commands/surroundings.js";

/** The words after `--` on the command line; empty without them. */
export function wordsAfterDashes(command: Command): readonly string[] {
  let root = command;
  while (root.parent) root = root.parent;
  const { rawArgs } = root as Command & { readonly rawArgs: readonly string[] };
  const dashes = rawArgs.indexOf("--");
  return dashes < 0 ? [] : rawArgs.slice(dashes + 1);
}

/**
 * Runs the command until it ends. Its output goes to stderr, because stdout has the report.
 * @param addresses variables that name the emulator's addresses
 * @param signal ends the command
 * @returns the exit status; 1 if a signal ended the command
 * @throws UserError if the command cannot be started
 */
export function runPosCommand(
  [program = "", ...args]: readonly string[],
  addresses: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<number> {
  return new Promise((resolve, reject) => {
    // On Windows, npm is a script, which only a shell runs.
    const child = spawn(program, args, {
      stdio: ["inherit", 2, 2],
      env: { ...surroundings().env, ...addresses },
      shell: process.platform === "win32",
    });
    const end = () => child.kill();
    signal.addEventListener("abort", end, { once: true });
    child.once("error", (error) => reject(new UserError(`${program} was not run: ${messageOf(error)}`, EXIT.usage)));
    child.once("exit", (status) => {
      signal.removeEventListener("abort", end);
      resolve(status ?? EXIT.failed);
    });
  });
}
