/**
 * Makes the checks before a tax authority's approval: `tillseal approval` of a fiscal service, `tillseal rehearse` of
 * a POS.
 */
import { Command, Option } from "commander";
import { EXIT } from "../base/user-error.js";
import { needEmulator } from "./emulator.js";
import { onEndSignal } from "./ending.js";
import { durationFlag, portFlag } from "./flags.js";
import { address } from "./proxy.js";
import { notice, print } from "./terminal.js";

export function approvalCommand(): Command {
  return new Command("approval")
    .description(
      "play the acceptance cases of a tax authority, and show what an approval of this service still needs; exit status 1 if a case fails",
    )
    .option("--html <file>", "write a report with the results and the receipts of the run")
    .action(async ({ html: file }: { readonly html?: string }) => {
      const { runApproval } = await needEmulator("acceptance cases");
      const outcomes = await runApproval({ file, write: print });
      if (outcomes.includes("failed")) process.exitCode = EXIT.failed;
    });
}

const DEFAULT_PORT = 8431;

interface Flags {
  /** The flag `--for` in ms. */
  readonly for?: number;
  readonly from?: string;
  readonly target?: URL;
  readonly port: number;
  readonly host: string;
  readonly vsdc?: boolean;
  readonly drive?: boolean;
  readonly html?: string;
  readonly junit?: string;
  readonly json?: boolean;
}

export function rehearseCommand(): Command {
  return new Command("rehearse")
    .description(
      "watch a POS and fill in what an authority will ask of it; exit status 1 if a rule failed, 3 if nothing was sent",
    )
    .addOption(
      new Option("--for <time>", "how long to watch, such as 2h; default: until Ctrl-C").argParser(durationFlag),
    )
    .addOption(new Option("--from <file>", "judge a recording in place of a POS").conflicts(["for", "target", "drive"]))
    .addOption(
      new Option("--target <url>", "watch through the recording proxy: address of any fiscal service").argParser(
        address,
      ),
    )
    .option("--port <number>", "port that the POS calls; 0 picks a free one", portFlag, DEFAULT_PORT)
    .option("--host <address>", "address to listen on", "localhost")
    .addOption(
      new Option("--vsdc", "run the authority's online service, too, for a POS that falls back to it").conflicts([
        "from",
        "target",
      ]),
    )
    .option("--drive", "put the situations that a POS must survive, one after the other")
    .option("--html <file>", "write the list and the fifteen sample receipts as one page")
    .option("--junit <file>", "write the list for a CI")
    .option("--json", "machine readable")
    .action(async ({ for: patience, vsdc = false, drive = false, json = false, ...flags }: Flags) => {
      const { rehearse } = await needEmulator("rehearsal");
      const { startOrExplain } = await import("./start-or-explain.js");
      const stopped = new AbortController();
      if (flags.from === undefined) onEndSignal(() => stopped.abort());
      const rehearsing = rehearse({
        ...flags,
        ...(patience === undefined ? {} : { patience }),
        vsdc,
        drive,
        json,
        stopped: stopped.signal,
        write: print,
        notice,
      });
      const rows = await startOrExplain(rehearsing, flags);
      if (rows.some(({ state }) => state === "failed")) process.exitCode = EXIT.failed;
    });
}
