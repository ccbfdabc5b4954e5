/** `tillseal scenario`: runs, watches and lists files that describe situations for a POS. */
import { setTimeout as delay } from "node:timers/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { EXIT } from "../base/user-error.js";
import { API_PREFIX } from "../http/endpoints.js";
import { needEmulator } from "./emulator.js";
import { durationFlag, portFlag } from "./flags.js";
import { controlAddress, type RemoteFlags, remoteOf } from "./remote.js";
import { notice, print } from "./terminal.js";

/** ms between two tries to reach the service. */
const BETWEEN_TRIES = 250;
const PATHS = "scenario files, folders of them, or names of shipped ones such as pin/card-locked";

interface RunFlags extends RemoteFlags {
  readonly reporter: "pretty" | "junit" | "json";
  readonly shard?: ReturnType<typeof shardOf>;
  readonly filter?: string;
  readonly allowEmpty?: boolean;
  readonly bail?: boolean;
  readonly output?: string;
  readonly list?: boolean;
  readonly watch?: boolean;
  readonly realTime?: boolean;
  /** The flag `--wait` in ms. */
  readonly wait?: number;
}

function emulator() {
  return needEmulator("scenarios");
}

export function scenarioCommand(): Command {
  return new Command("scenario")
    .description("situations for a POS, as files")
    .addCommand(runCommand())
    .addCommand(watchCommand())
    .addCommand(listCommand())
    .addCommand(showCommand())
    .addCommand(coverageCommand());
}

function runCommand(): Command {
  return new Command("run")
    .description("play scenarios, each in a fresh world; exit status 1 on a failure, 3 if nothing was played")
    .argument("<path...>", PATHS)
    .addOption(reporterOption())
    .addOption(new Option("--shard <i/n>", "only the i-th of n parts").argParser(shardOf))
    .option("--filter <tag>", "only scenarios with this tag")
    .option("--allow-empty", "exit status 0 if a shard or a tag has no scenario, or none applies to the service")
    .option("--bail", "stop at the first failure")
    .option("--output <file>", "write the report to a file; the terminal shows the text for people")
    .addOption(new Option("--list", "only show which scenarios would be played").conflicts(["watch", "output"]))
    .option("--watch", "play a file again when it changes, until Ctrl-C")
    .option("--real-time", "wait for latency in real time")
    .option(
      "--base-url <url>",
      "play them against the service at this address; scenarios that could hurt its card are skipped",
    )
    .option(
      "--control-url <url>",
      "control interface of the emulator behind --base-url; with it every scenario is played",
    )
    .option("--pin <digits>", "PIN of the card there, sent where a scenario sends 1234")
    .option("--risk-locking-the-card", "send wrong PINs there; a few wrong PINs lock a real card for good")
    .option("--issue-real-receipts", "post invoices there that are not Training; on a real card they count")
    .addOption(
      new Option("--wait <time>", "wait up to this long for that service to start, such as 60s").argParser(
        durationFlag,
      ),
    )
    .action(async (paths: string[], flags: RunFlags) => {
      const { listRun, runScenarioFiles, watchScenarioFiles } = await emulator();
      const { shard, filter, output, reporter, allowEmpty = false, bail = false, realTime = false } = flags;
      const remote = remoteOf(flags);
      const options = {
        paths,
        reporter,
        allowEmpty,
        bail,
        realTime,
        selection: {
          ...(filter === undefined ? {} : { tag: filter }),
          ...(shard === undefined ? {} : { shard }),
        },
        ...(remote ? { remote } : {}),
        ...(output === undefined ? {} : { output }),
        write: print,
      };
      if (flags.list) {
        options.write(listRun(options));
        return;
      }
      if (remote) await untilUp(remote.baseUrl, flags.wait ?? 0);
      const failed = flags.watch
        ? await watchScenarioFiles(options, interrupted())
        : (await runScenarioFiles(options)).some(({ status }) => status === "failed");
      if (failed) process.exitCode = EXIT.failed;
    });
}

/** ms that the command waits in each situation. */
const PATIENCE = 60_000;
const POS_PORT = 8431;

interface WatchFlags extends Pick<RunFlags, "reporter" | "filter" | "output" | "controlUrl"> {
  /** ms */
  readonly for: number;
  readonly port: number;
  readonly host: string;
}

function watchCommand(): Command {
  return new Command("watch")
    .description("put each situation and check what a POS sends in it; exit status 1 if it sends something else")
    .argument("<path...>", "scenario files with expect, folders of them, or names of shipped ones such as pos")
    .addOption(
      new Option("--for <time>", "how long to wait in each situation, such as 60s")
        .argParser(durationFlag)
        .default(PATIENCE, "60s"),
    )
    .addOption(reporterOption())
    .option("--filter <tag>", "only scenarios with this tag")
    .option("--output <file>", "write the report to a file; the terminal shows the text for people")
    .option("--port <number>", "port that the POS calls; 0 picks a free one", portFlag, POS_PORT)
    .option("--host <address>", "address to listen on", "localhost")
    .option("--control-url <url>", "control interface of a running emulator that the POS calls, instead of a new one")
    .action(async (paths: string[], { for: patience, filter, output, controlUrl, ...flags }: WatchFlags) => {
      const { watchPos } = await emulator();
      const watching = watchPos({
        paths,
        patience,
        ...flags,
        selection: filter === undefined ? {} : { tag: filter },
        ...(output === undefined ? {} : { output }),
        ...(controlUrl === undefined ? {} : { controlUrl: controlAddress("--control-url", controlUrl) }),
        write: print,
        listening: (url) => notice(`point the POS at ${url}; its PIN is 1234\n`),
      });
      const { startOrExplain } = await import("./start-or-explain.js");
      const results = await startOrExplain(watching, flags);
      if (results.some(({ status }) => status === "failed")) process.exitCode = EXIT.failed;
    });
}

function reporterOption(): Option {
  return new Option("--reporter <name>", "form of the report").choices(["pretty", "junit", "json"]).default("pretty");
}

/** Aborts on Ctrl-C. A second Ctrl-C ends the process at once. */
function interrupted(): AbortSignal {
  const stopped = new AbortController();
  process.once("SIGINT", () => stopped.abort());
  return stopped.signal;
}

function listCommand(): Command {
  return new Command("list")
    .description("list the situations")
    .argument("[path...]", PATHS)
    .option("--json", "machine readable")
    .action(async (paths: string[], { json = false }: { json?: boolean }) => {
      const { listScenarios } = await emulator();
      print(listScenarios(paths, json));
    });
}

function coverageCommand(): Command {
  return new Command("coverage")
    .description("show which codes, endpoints and card states the scenarios cover; exit status 1 on a gap")
    .argument("[path...]", PATHS)
    .option("--json", "machine readable")
    .action(async (paths: string[], { json = false }: { json?: boolean }) => {
      const { scenarioCoverage } = await emulator();
      const { text, holes } = await scenarioCoverage(paths, json);
      print(text);
      if (holes.length > 0) process.exitCode = EXIT.failed;
    });
}

function showCommand(): Command {
  return new Command("show")
    .description("print a scenario")
    .argument("<path>", PATHS)
    .action(async (path: string) => {
      const { showScenario } = await emulator();
      print(showScenario(path));
    });
}

function shardOf(text: string): { index: number; of: number } {
  const [, i, n] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const [index, of] = [Number(i), Number(n)];
  if (index >= 1 && index <= of) return { index, of };
  throw new InvalidArgumentError("expected i/n, such as 1/3");
}

/**
 * Resolves when the service answers, or when the time is over. If the service does not answer, the scenarios show what
 * is wrong.
 * @param wait ms
 */
async function untilUp(baseUrl: string, wait: number): Promise<void> {
  const attention = `${baseUrl.replace(/\/$/, "")}${API_PREFIX}/attention`;
  for (let tries = 0; tries * BETWEEN_TRIES < wait; tries++) {
    const up = await fetch(attention).catch(() => undefined);
    if (up?.ok) return;
    if (tries === 0) notice(`waiting for ${baseUrl}, up to ${wait / 1000} s\n`);
    await delay(BETWEEN_TRIES);
  }
}
