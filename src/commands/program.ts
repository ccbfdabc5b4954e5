/** Makes the whole command line with every command, and runs it. */
import { Command, InvalidArgumentError, type Option } from "commander";
import { versionText } from "../base/build.js";
import { didYouMean } from "../base/did-you-mean.js";
import { HAS_EMULATOR } from "../base/package-root.js";
import { codeOf } from "../base/thrown.js";
import { EXIT, UserError } from "../base/user-error.js";
import { auditCommand } from "./audit.js";
import { backupCommand, restoreCommand } from "./backup.js";
import { cardCommand } from "./card.js";
import { configCommand, environmentCommand } from "./config.js";
import { dataCommand } from "./data.js";
import { decodeCommand } from "./decode.js";
import { doctorCommand } from "./doctor.js";
import { endBesideReaders, exitAfterReaders } from "./ending.js";
import { loadHarness } from "./harness.js";
import { incidentsCommand } from "./incidents.js";
import { reportCommand } from "./report.js";
import { serveCommand } from "./serve.js";
import { pkiPinCommand, statusCommand, stopCommand } from "./service.js";
import { changesCommand, verifyCommand } from "./store.js";
import { surroundings } from "./surroundings.js";
import { complain, explainFailure, notice, print } from "./terminal.js";

/** The packages for shops do not have them. */
const DEVELOPERS_COMMANDS = "scenario conformance rehearse mcp proxy sample snapshot authority".split(" ");

export async function makeProgram(): Promise<Command> {
  const program = new Command("tillseal")
    .description(`Local fiscal service for points of sale${HAS_EMULATOR ? ", with a card emulator" : ""}`)
    .version(versionText());
  const card = cardCommand();
  const makers = [
    ...[serveCommand, statusCommand, stopCommand, reportCommand, incidentsCommand, auditCommand, pkiPinCommand],
    ...[decodeCommand, configCommand, environmentCommand, doctorCommand, backupCommand, restoreCommand],
    ...[verifyCommand, changesCommand, dataCommand, () => card],
  ];
  for (const make of makers) program.addCommand(make());
  const harness = await loadHarness();
  harness?.addCommands(program, card);
  for (const name of harness ? [] : DEVELOPERS_COMMANDS) {
    const elsewhere = new Command(name).argument("[anything...]").allowUnknownOption().helpOption(false);
    const refuse = () => {
      throw new UserError(`tillseal ${name} is in the developers' package; this package is for shops`, EXIT.usage);
    };
    program.addCommand(elsewhere.action(refuse), { hidden: true });
  }
  throwUsageErrors(program);
  return program;
}

/** Makes Commander throw. Otherwise Commander ends the process, with status 1 for a wrong flag. */
function throwUsageErrors(command: Command): void {
  const folder = command.options.some(({ long }) => long === "--data-dir")
    ? " --data-dir DIR names a data folder."
    : "";
  command.exitOverride();
  command.configureOutput({
    writeOut: print,
    writeErr: notice,
    outputError: (text, write) =>
      write(text.replace(/^error: /, "tillseal: ").replace(/^(\S+ too many .*)/, `$1${folder}`)),
  });
  for (const option of command.options) sayWhatWasMeant(option);
  for (const subcommand of command.commands) throwUsageErrors(subcommand);
}

/** Adds suggestions for the values of a flag; Commander suggests only commands and flags. */
function sayWhatWasMeant(option: Option): void {
  const { argChoices, parseArg } = option;
  if (!argChoices || !parseArg) return;
  option.argParser((written, previous) => {
    if (argChoices.includes(written)) return parseArg(written, previous);
    throw new InvalidArgumentError(
      `Allowed choices are ${argChoices.join(", ")}${didYouMean(written, argChoices) || "."}`,
    );
  });
}

/** Runs a command line. @param args without the program's name @returns the exit status */
export async function runProgram(program: Command, args: readonly string[]): Promise<number> {
  try {
    await program.parseAsync(args, { from: "user" });
    return Number(surroundings().exitCode ?? EXIT.done);
  } catch (error) {
    return explainFailure(error);
  }
}

/** A top-level await instead would never end: the bundle puts this code into a file that the commands import. */
export async function main(): Promise<void> {
  const program = await makeProgram();
  let serves = false;
  program.hook("preAction", (_program, command) => {
    serves = command.name() === "serve";
  });
  // stdout may close early (`| head`): exit quietly. A service continues to sell without stdout.
  process.stdout.on("error", (error) => {
    if (serves) return;
    if (codeOf(error) === "EPIPE") return endBesideReaders();
    complain(`cannot write the output: ${error.message}`);
    endBesideReaders(EXIT.failed);
  });
  process.stderr.on("error", () => undefined);

  process.exitCode = await runProgram(program, process.argv.slice(2));
  exitAfterReaders();
}
