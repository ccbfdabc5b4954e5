/** Runs the command line of this process. */
import { codeOf } from "../base/thrown.js";
import { EXIT } from "../base/user-error.js";
import { exitAfterReaders } from "./ending.js";
import { makeProgram, runProgram } from "./program.js";

/** A function, and no top-level await: the bundle puts this code into a file that the commands import, and they would wait for each other. */
export async function main(): Promise<void> {
  const program = makeProgram();

  let serves = false;
  program.hook("preAction", (_program, command) => {
    serves = command.name() === "serve";
  });
  // stdout may close early (`| head`): exit quietly. A service goes on selling without it.
  process.stdout.on("error", (error) => {
    if (serves) return;
    if (codeOf(error) === "EPIPE") process.exit();
    process.stderr.write(`tillseal: cannot write the output: ${error.message}\n`);
    process.exit(EXIT.failed);
  });
  process.stderr.on("error", () => undefined);

  process.exitCode = await runProgram(program, process.argv.slice(2));
  exitAfterReaders();
}
