/** Runs `tillseal scenario expect`: sets up each situation, waits for the requests of a POS, and judges them. */
import { setTimeout as delay } from "node:timers/promises";
import { linesText } from "../../src/base/terminal-text.js";
import { messageOf } from "../../src/base/thrown.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { type Control, controlAt, openControlledStage } from "../scenario/controlled-stage.js";
import type { Expectation } from "../scenario/expectation.js";
import { unmetBy, unmetText } from "../scenario/judge.js";
import type { Played } from "../scenario/play.js";
import type { SentRequest } from "../scenario/request-types.js";
import { andRestored, chosen, nothingPlayed, type RunScenarioFiles, reportsOf } from "../scenario/run-files.js";
import type { Scenario } from "../scenario/scenario.js";
import { wrongGiven } from "../scenario/wrong-given.js";
import { runPosCommand } from "./pos-command.js";
import { openPosEmulator } from "./pos-emulator.js";

export interface Expect extends Pick<RunScenarioFiles, "paths" | "reporter" | "selection" | "output" | "write"> {
  /** The command that tests the POS. It runs once in each situation, and its end ends the situation. Empty without one. */
  readonly command: readonly string[];
  /** ms that a POS has for each situation. */
  readonly patience: number;
  /** Control address of a running emulator. Default: an emulator of this process. */
  readonly controlUrl?: string;
  readonly port: number;
  readonly host: string;
  /** Writes the addresses for the POS, when the service answers. */
  readonly notice: (text: string) => void;
}

/** The emulator that a POS calls: its control interface, and what the POS must know of it. */
interface Place {
  readonly control: Control;
  readonly addresses: Readonly<Record<string, string>>;
  /** Called when a situation has been set up. Resolves when the service answers. */
  readonly ready: () => Promise<void>;
}

/**
 * Sets up each situation and judges the requests of a POS.
 * @throws ScenarioFileError before anything is played, UserError if no file has `expect`
 */
export async function expectOfPos(options: Expect): Promise<readonly Played[]> {
  const all = chosen({ ...options, allowEmpty: false });
  const scenarios = all.filter(({ expect }) => expect !== undefined);
  if (scenarios.length === 0) throw nothingPlayed("no file has expect; scenario run plays files with steps");
  const { controlUrl } = options;
  if (controlUrl !== undefined) {
    const control = controlAt(controlUrl);
    const place = { control, addresses: { TILLSEAL_CONTROL_URL: controlUrl }, ready: () => Promise.resolve() };
    return andRestored(control, () => watchEach(scenarios, place, options));
  }
  const emulator = await openPosEmulator({ ...options, vsdc: scenarios.some(({ given }) => given.vsdc !== undefined) });
  let isKnown = false;
  const ready = async () => {
    await answering(emulator.world.url);
    if (!isKnown) options.notice(linesText(emulator.lines));
    isKnown = true;
  };
  try {
    const { addresses } = emulator;
    return await watchEach(scenarios, { control: controlAt(emulator.controlUrl), addresses, ready }, options);
  } finally {
    await emulator.close();
  }
}

/** ms between two looks at what the POS has sent. */
const LOOK = 200;

/** Waits until the service answers again: a situation restarts it. */
async function answering(url: string): Promise<void> {
  for (;;) {
    const attention = await fetch(`${url}${API_PREFIX}/attention`).catch(() => undefined);
    if (attention?.ok) return;
    await delay(LOOK);
  }
}

async function watchEach(scenarios: readonly Scenario[], place: Place, options: Expect): Promise<Played[]> {
  const { forPeople, ended, report } = reportsOf(options);
  const results: Played[] = [];
  for (const scenario of scenarios) {
    const begun = () => {
      if (forPeople) options.write(introduction(scenario, options));
    };
    const played = await watchOne(scenario, place, options, begun);
    results.push(played);
    ended(played);
  }
  report(results);
  return results;
}

function introduction({ name, about }: Scenario, { command, patience }: Expect): string {
  const [program] = command;
  const what = program === undefined ? `watching for up to ${patience / 1000} s` : `watching what ${program} sends`;
  return `\n${name}\n${about === undefined ? "" : `${about.trimEnd()}\n`}${what}\n`;
}

/** Watches a POS in one situation. @param begun called when the world is ready and the POS may begin */
async function watchOne(scenario: Scenario, place: Place, options: Expect, begun: () => void): Promise<Played> {
  const began = performance.now();
  const judgement = await judgementOf(scenario, place, options, begun);
  return { scenario, ...judgement, ms: performance.now() - began, exchanges: [], life: [] };
}

async function judgementOf(scenario: Scenario, place: Place, options: Expect, begun: () => void) {
  const { control, addresses, ready } = place;
  try {
    // We load only the scenario's `given`, because the POS sends the requests.
    await openControlledStage("", control, { realTime: true })(scenario);
  } catch (error) {
    const failure = { ...wrongGiven(error, scenario), message: messageOf(error), differences: [] };
    return { outcome: "failed", failure } as const;
  }
  await ready();
  await control("DELETE", "/traffic");
  begun();
  const sent = async () => {
    const { requests } = (await control("POST", "/traffic/find", {})) as { requests: readonly SentRequest[] };
    return requests;
  };
  const { command, patience } = options;
  if (command.length === 0) {
    await untilSettled(scenario, sent, patience);
    return judged(scenario, await sent());
  }
  const status = await runPosCommand(command, addresses, AbortSignal.timeout(patience));
  const judgement = judged(scenario, await sent());
  return status === 0 || judgement.failure
    ? judgement
    : failedWith(`${command.join(" ")} ended with exit status ${status}`);
}

/** Waits until the POS has met what it must send, or the time is over. */
async function untilSettled({ expect = [] }: Scenario, sent: () => Promise<readonly SentRequest[]>, patience: number) {
  const end = performance.now() + patience;
  const canSettle = expect.every(settles);
  while (performance.now() < end) {
    await delay(Math.min(LOOK, Math.max(0, end - performance.now())));
    if (canSettle && unmetBy(expect, await sent()).length === 0) return;
  }
}

/** Whether a request can settle an expectation. What must not be sent, or how often, is known at the end only. */
function settles(expectation: Expectation): boolean {
  if ("inOrder" in expectation) return expectation.inOrder.at(-1)?.notSent === undefined;
  return expectation.notSent === undefined && expectation.times === undefined;
}

function failedWith(message: string, details: readonly string[] = []): Pick<Played, "outcome" | "failure"> {
  return { outcome: "failed", failure: { line: 1, say: "", message, differences: [], details } };
}

function judged(
  { expect = [], lines }: Scenario,
  requests: readonly SentRequest[],
): Pick<Played, "outcome" | "failure"> {
  const [first, ...others] = unmetBy(expect, requests);
  if (!first)
    return requests.length > 0 ? { outcome: "passed" } : failedWith("nothing was judged: the POS sent nothing");
  const { index, message } = first;
  const details = [
    ...first.details.map((line) => `  ${line}`),
    ...others.flatMap((unmet) => `line ${lines[unmet.index] ?? 1}: ${unmetText(unmet)}`.split("\n")),
  ];
  return {
    outcome: "failed",
    failure: { line: lines[index] ?? 1, say: `expect ${index + 1}`, message, differences: [], details },
  };
}
