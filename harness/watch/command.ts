/** The commands that watch a POS: `tillseal rehearse`, and `tillseal scenario expect`. */
import { Command, Option } from "commander";
import { EXIT, UserError } from "../../src/base/user-error.js";
import { durationFlag, portFlag } from "../../src/commands/flags.js";
import { endWith } from "../../src/commands/surroundings.js";
import { notice, print } from "../../src/commands/terminal.js";
import { address } from "../proxy/command.js";
import { ended, reporterOption } from "../scenario/command.js";
import { controlAddress } from "../scenario/remote.js";
import type { Expect } from "./expect.js";
import { wordsAfterDashes } from "./pos-command.js";
import type { RehearseFlags } from "./rehearse.js";

const DEFAULT_PORT = 8431;
const COMMAND =
  "after --: the command that tests the POS, such as npm test. It finds the emulator in TILLSEAL_URL and TILLSEAL_CONTROL_URL, and its end ends the watch";

export function rehearseCommand(): Command {
  return new Command("rehearse")
    .description(
      "watch a POS and fill in what an authority will ask of it; exit status 1 if a rule or the command failed, 3 if no row passed",
    )
    .argument("[command...]", COMMAND)
    .addOption(
      new Option("--for <time>", "how long to watch, such as 2h; default: until Ctrl-C").argParser(durationFlag),
    )
    .addOption(new Option("--from <file>", "judge a recording in place of a POS").conflicts(["for", "target", "drive"]))
    .addOption(
      new Option("--target <url>", "watch through the recording proxy: address of any fiscal service").argParser(
        address,
      ),
    )
    .addOption(
      new Option(
        "--control-url <url>",
        "judge what a POS has sent to a running emulator, whose control interface this is",
      )
        .argParser(control)
        .conflicts(["for", "from", "target", "port", "vsdc", "drive"]),
    )
    .addOption(portOption())
    .option("--host <address>", "address to listen on", "localhost")
    .addOption(
      new Option("--vsdc", "run the authority's online service, too, for a POS that falls back to it").conflicts([
        "from",
        "target",
      ]),
    )
    .option("--drive", "put the situations that a POS must survive, one after the other")
    .option("--require <id...>", "rows that must have passed, or all; otherwise the exit status is 1")
    .option("--html <file>", "write the list and the fifteen sample receipts as one page")
    .option("--junit <file>", "write the list for a CI")
    .option("--json", "machine readable")
    .action(async (words: readonly string[], flags: RehearseFlags & { readonly port?: number }, self: Command) => {
      const command = commandIn(self, words);
      const { from, controlUrl } = flags;
      if (command.length > 0 && controlUrl !== undefined)
        throw new UserError("--control-url judges what was sent; run the command before it", EXIT.usage);
      const place = placeOf(flags, command);
      const { rehearse } = await import("./rehearse.js");
      const { startOrExplain } = await import("../../src/commands/start-or-explain.js");
      const stopped = from === undefined && controlUrl === undefined ? ended() : new AbortController().signal;
      const rehearsing = rehearse({ ...flags, ...place, command, stopped, write: print, notice });
      const { status } = await startOrExplain(rehearsing, place);
      endWith(status);
    });
}

const control = (text: string) => controlAddress("--control-url", text);

function portOption(): Option {
  const about = `port that the POS calls; 0 picks a free one. Default: ${DEFAULT_PORT}, or a free one with a command after --`;
  return new Option("--port <number>", about).argParser(portFlag);
}

/** Where the emulator listens. A command gets the address, so that several can run at the same time. */
function placeOf({ port, host }: { readonly port?: number; readonly host: string }, command: readonly string[]) {
  return { port: port ?? (command.length > 0 ? 0 : DEFAULT_PORT), host };
}

/** @throws UserError for words that do not follow `--`, because they may be meant as something else */
function commandIn(self: Command, words: readonly string[]): readonly string[] {
  const command = wordsAfterDashes(self);
  if (words.length === command.length) return command;
  throw new UserError(`${words[0]}: write the command that tests the POS after --`, EXIT.usage);
}

type ExpectFlags = Pick<Expect, "for" | "reporter" | "filter" | "output" | "controlUrl" | "host"> & {
  readonly port?: number;
};

export function expectCommand(): Command {
  return new Command("expect")
    .description("set up each situation and check what a POS sends in it; exit status 1 if it sends something else")
    .usage("[options] <path...> [-- command...]")
    .argument("<path...>", "scenario files with expect, folders of them, or names of shipped ones such as pos")
    .addOption(
      new Option(
        "--for <time>",
        "longest time in each situation, such as 60s; default: 60s, or until the command after -- ends",
      ).argParser(durationFlag),
    )
    .addOption(reporterOption())
    .option("--filter <tag>", "only scenarios with this tag")
    .option("--output <file>", "write the report to a file; the terminal shows the text for people")
    .addOption(portOption())
    .option("--host <address>", "address to listen on", "localhost")
    .option(
      "--control-url <url>",
      "control interface of a running emulator that the POS calls, instead of a new one",
      control,
    )
    .action(async (words: readonly string[], flags: ExpectFlags, self: Command) => {
      const command = wordsAfterDashes(self);
      const place = placeOf(flags, command);
      const { expectOfPos } = await import("./expect.js");
      const { startOrExplain } = await import("../../src/commands/start-or-explain.js");
      const watching = expectOfPos({
        ...flags,
        ...place,
        paths: words.slice(0, words.length - command.length),
        command,
        stopped: ended(),
        write: print,
        notice,
      });
      const results = await startOrExplain(watching, place);
      if (results.some(({ outcome }) => outcome === "failed")) endWith(EXIT.failed);
    });
}
