/** Explains a failed command: a message for the user's mistakes, a stack trace only for ours. */
import { CommanderError } from "commander";
import { codeOf } from "../base/thrown.js";
import { EXIT, UserError } from "../base/user-error.js";
import { ConfigError } from "../config/load.js";

/** Prints what went wrong. @returns the exit status */
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
