/** `tillseal scenario`: runs, watches and lists files that describe situations for a POS. */
import { setTimeout as delay } from "node:timers/promises";
import { Command, InvalidArgumentError, Option } from "commander";
import { EXIT } from "../../src/base/user-error.js";
import { onEndSignal } from "../../src/commands/ending.js";
import { durationFlag } from "../../src/commands/flags.js";
import { endWith, surroundings } from "../../src/commands/surroundings.js";
import { notice, print } from "../../src/commands/terminal.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { type RemoteFlags, remoteOf, requireListening } from "./remote.js";
import type { RunScenarioFiles } from "./run-files.js";

/** ms between two tries to reach the service. */
const BETWEEN_TRIES_MS = 250;
const PATHS = "scenario files, folders of them, or names of shipped ones such as pin/card-locked";

interface RunFlags extends RemoteFlags, Omit<RunScenarioFiles, "paths" | "remote" | "stopped" | "write"> {
  readonly list?: boolean;
  readonly watch?: boolean;
  /** The flag `--wait` in ms. */
  readonly wait?: number;
}

export function scenarioCommand(): Command {
  return new Command("scenario")
    .description("situations for a POS, as files")
    .addCommand(runCommand())
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
      const { listRun, runScenarioFiles } = await import("./run-files.js");
      const remote = remoteOf(flags);
      const options = { ...flags, paths, ...(remote ? { remote } : {}), write: print };
      if (flags.list) return void print(listRun(options));
      if (remote) {
        await untilUp(remote.baseUrl, flags.wait ?? 0);
        await requireListening(remote.baseUrl);
      }
      const failed = flags.watch
        ? await (await import("./watch-files.js")).watchScenarioFiles(options, interrupted())
        : (await runScenarioFiles({ ...options, stopped: ended() })).some(({ outcome }) => outcome === "failed");
      if (failed) endWith(EXIT.failed);
    });
}

export function reporterOption(): Option {
  return new Option("--reporter <name>", "form of the report")
    .choices(["pretty", "junit", "json", "html"])
    .default("pretty");
}

/** Aborts on a signal, so that the run removes its worlds, and restores that of a running emulator. */
export function ended(): AbortSignal {
  const stopped = new AbortController();
  onEndSignal(() => stopped.abort());
  return stopped.signal;
}

/** Aborts on Ctrl-C. A second Ctrl-C ends the process at once. */
function interrupted(): AbortSignal {
  const stopped = new AbortController();
  surroundings().once("SIGINT", () => stopped.abort());
  return stopped.signal;
}

function listCommand(): Command {
  return new Command("list")
    .description("list the situations")
    .argument("[path...]", PATHS)
    .option("--json", "machine readable")
    .action(async (paths: string[], { json = false }: { json?: boolean }) => {
      const { listScenarios } = await import("./run-files.js");
      print(listScenarios(paths, json));
    });
}

function coverageCommand(): Command {
  return new Command("coverage")
    .description("show which codes, endpoints and card states the scenarios cover; exit status 1 on a gap")
    .argument("[path...]", PATHS)
    .option("--json", "machine readable")
    .action(async (paths: string[], { json = false }: { json?: boolean }) => {
      const { scenarioCoverage } = await import("./run-files.js");
      const { text, holes } = await scenarioCoverage(paths, json);
      print(text);
      if (holes.length > 0) endWith(EXIT.failed);
    });
}

function showCommand(): Command {
  return new Command("show")
    .description("print a scenario")
    .argument("<path>", PATHS)
    .action(async (path: string) => {
      const { showScenario } = await import("./run-files.js");
      print(showScenario(path));
    });
}

function shardOf(text: string): { index: number; of: number } {
  const [, i, n] = /^(\d+)\/(\d+)$/.exec(text) ?? [];
  const [index, of] = [Number(i), Number(n)];
  if (index >= 1 && index <= of) return { index, of };
  throw new InvalidArgumentError("expected i/n, such as 1/3");
}

/** Resolves when the service answers, or when the time is over. @param wait ms */
async function untilUp(baseUrl: string, wait: number): Promise<void> {
  const attention = `${baseUrl.replace(/\/$/, "")}${API_PREFIX}/attention`;
  for (let tries = 0; tries * BETWEEN_TRIES_MS < wait; tries++) {
    const up = await fetch(attention).catch(() => undefined);
    if (up?.ok) return;
    if (tries === 0) notice(`waiting for ${baseUrl}, up to ${wait / 1000} s\n`);
    await delay(BETWEEN_TRIES_MS);
  }
}
