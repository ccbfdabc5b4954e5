/** Runs the command that tests a POS: what a person writes after `--`. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Command } from "commander";
import { codeOf, messageOf } from "../../src/base/thrown.js";
import { EXIT, UserError } from "../../src/base/user-error.js";
import { surroundings } from "../../src/commands/surroundings.js";
import { endTreeCommand, windowsCommand } from "./windows-command.js";

/** The words after `--` on the command line; empty without them. */
export function wordsAfterDashes(command: Command): readonly string[] {
  let root = command;
  while (root.parent) root = root.parent;
  const { rawArgs } = root as Command & { readonly rawArgs: readonly string[] };
  const dashes = rawArgs.indexOf("--");
  return dashes < 0 ? [] : rawArgs.slice(dashes + 1);
}

/** ms that the command has to end before it is killed. */
const GRACE_MS = 5_000;
const ON_WINDOWS = process.platform === "win32";

/**
 * Runs the command until it ends. Its output goes to stderr, because stdout has the report.
 * @param addresses variables that name the emulator's addresses
 * @param signal ends the command and what it has started
 * @returns the exit status; 1 if a signal ended the command
 * @throws UserError if the command cannot be started
 */
export async function runPosCommand(
  words: readonly string[],
  addresses: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<number> {
  const { program, args } = ON_WINDOWS ? windowsCommand(words) : { program: words[0] ?? "", args: words.slice(1) };
  if (!words[0]) throw new UserError("write the command that tests the POS after --", EXIT.usage);
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      stdio: ["inherit", 2, 2],
      env: { ...surroundings().env, ...addresses },
      windowsVerbatimArguments: true,
      // A group ends with all that a shell has started.
      detached: !ON_WINDOWS,
    });
    let killing: NodeJS.Timeout | undefined;
    const end = () => {
      endGroup(child, "SIGTERM");
      killing = setTimeout(() => endGroup(child, "SIGKILL"), GRACE_MS);
    };
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    child.once("error", (error) => {
      const why = codeOf(error) === "ENOENT" ? "there is no such program" : messageOf(error);
      reject(new UserError(`${words[0]} was not run: ${why}`, EXIT.usage));
    });
    child.once("exit", (status) => {
      signal.removeEventListener("abort", end);
      clearTimeout(killing);
      resolve(status ?? EXIT.failed);
    });
  });
}

function endGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  if (ON_WINDOWS) {
    const { program, args } = endTreeCommand(child.pid);
    spawn(program, args, { stdio: "ignore" }).once("error", () => child.kill());
    return;
  }
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended.
  }
}
