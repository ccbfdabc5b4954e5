/** Runs `tillseal scenario watch`: sets up each situation, waits for the requests of a POS, and judges them. */
import { setTimeout as delay } from "node:timers/promises";
import { World } from "../../emulator/world/world.js";
import { messageOf } from "../../src/base/thrown.js";
import { logOf } from "../../src/config/log.js";
import { ControlServer } from "../control/control-server.js";
import { type Control, controlAt, openControlledStage } from "../scenario/controlled-stage.js";
import { unmetBy, unmetText } from "../scenario/judge.js";
import type { Played } from "../scenario/play.js";
import type { SentRequest } from "../scenario/request-types.js";
import { andRestored, chosen, nothingPlayed, type RunScenarioFiles, reportsOf } from "../scenario/run-files.js";
import type { Scenario } from "../scenario/scenario.js";
import { wrongGiven } from "../scenario/wrong-given.js";

export interface WatchPos extends Pick<RunScenarioFiles, "paths" | "reporter" | "selection" | "output" | "write"> {
  /** ms that a POS has for each situation. */
  readonly patience: number;
  /** Control address of a running emulator. Default: an emulator of this process. */
  readonly controlUrl?: string;
  readonly port: number;
  readonly host: string;
  /** Called with the address for the POS if this process starts the emulator. */
  readonly listening: (url: string) => void;
}

/**
 * Sets up each situation and judges the requests of a POS.
 * @throws ScenarioFileError before anything is played, UserError if no file has `expect`
 */
export async function watchPos(options: WatchPos): Promise<readonly Played[]> {
  const { controlUrl, port, host, listening } = options;
  const all = chosen({ ...options, allowEmpty: false });
  const scenarios = all.filter(({ expect }) => expect !== undefined);
  if (scenarios.length === 0) throw nothingPlayed("no file has expect; scenario run plays files with steps");
  if (controlUrl !== undefined) {
    const control = controlAt(controlUrl);
    return andRestored(control, () => watchEach(scenarios, control, options));
  }
  const world = await World.open({}, { port, host, realTime: true });
  const noLog = { log: logOf({ logLevel: "silent" }), allowedHosts: [], allowedOrigins: [] };
  const server = await ControlServer.open(world, { port: 0, host: "127.0.0.1", ...noLog });
  try {
    listening(world.url);
    return await watchEach(scenarios, controlAt(server.url), options);
  } finally {
    await server.close();
    await world.close();
  }
}

async function watchEach(scenarios: readonly Scenario[], control: Control, options: WatchPos): Promise<Played[]> {
  const { forPeople, ended, report } = reportsOf(options);
  const results: Played[] = [];
  for (const scenario of scenarios) {
    const begun = () => {
      if (forPeople) options.write(introduction(scenario, options.patience));
    };
    const played = await watchOne(scenario, control, options.patience, begun);
    results.push(played);
    ended(played);
  }
  report(results);
  return results;
}

function introduction({ name, about }: Scenario, patience: number): string {
  return `\n${name}\n${about === undefined ? "" : `${about.trimEnd()}\n`}watching for ${patience / 1000} s\n`;
}

/** Watches a POS in one situation. @param begun called when the world is ready and the POS may begin */
async function watchOne(scenario: Scenario, control: Control, patience: number, begun: () => void): Promise<Played> {
  const began = performance.now();
  const outcome = await outcomeOf(scenario, control, patience, begun);
  return { scenario, ...outcome, ms: performance.now() - began, exchanges: [], life: [] };
}

async function outcomeOf(scenario: Scenario, control: Control, patience: number, begun: () => void) {
  try {
    // We load only the scenario's `given`, because the POS sends the requests.
    await openControlledStage("", control, { realTime: true })(scenario);
  } catch (error) {
    const failure = { ...wrongGiven(error, scenario), message: messageOf(error), differences: [] };
    return { status: "failed", failure } as const;
  }
  await control("DELETE", "/traffic");
  begun();
  await delay(patience);
  const { requests } = (await control("POST", "/traffic/find", {})) as { requests: readonly SentRequest[] };
  return judged(scenario, requests);
}

function judged(
  { expect = [], lines }: Scenario,
  requests: readonly SentRequest[],
): Pick<Played, "status" | "failure"> {
  const [first, ...others] = unmetBy(expect, requests);
  if (!first) return { status: "passed" };
  const { index, say = `expect ${index + 1}`, message } = first;
  const details = [
    ...first.details.map((line) => `  ${line}`),
    ...others.flatMap((unmet) => `line ${lines[unmet.index] ?? 1}: ${unmetText(unmet)}`.split("\n")),
  ];
  return { status: "failed", failure: { line: lines[index] ?? 1, say, message, differences: [], details } };
}
