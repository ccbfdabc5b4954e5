/** Runs `tillseal scenario expect`: sets up each situation, waits for the requests of a POS, and judges them. */
import { setTimeout as delay } from "node:timers/promises";
import { scenarioName } from "../../emulator/world/given-file.js";
import { linesText } from "../../src/base/terminal-text.js";
import { UserError } from "../../src/base/user-error.js";
import { beginGiven, type Control, controlAt } from "../scenario/controlled-stage.js";
import { unmetBy, unmetText } from "../scenario/judge.js";
import { unmade } from "../scenario/play.js";
import { failureText } from "../scenario/played-row.js";
import type { SentRequest } from "../scenario/request-types.js";
import type { Outcome, RehearsalRecord, Row } from "../scenario/row.js";
import { andRestored, chosen, nothingPlayed, type RunScenarioFiles, reportsOf } from "../scenario/run-files.js";
import { type Expectation, isWorldStep, type Scenario } from "../scenario/scenario.js";
import { stepsIn } from "../scenario/situations.js";
import { LOOK_INTERVAL_MS, until } from "./drive.js";
import { runPosCommand } from "./pos-command.js";
import { nothingSent, openPosEmulator } from "./pos-emulator.js";
import { requireKnown } from "./rehearse.js";

export interface Expect extends Pick<RunScenarioFiles, "paths" | "reporter" | "filter" | "output" | "write"> {
  /** The command that tests the POS. It runs once in each situation, and its end ends the situation. Empty without one. */
  readonly command: readonly string[];
  /** ms that a POS has for each situation. Default: until the command ends; 60 s without a command. */
  readonly for?: number;
  /** Ends the watch. The report has what was judged. */
  readonly stopped: AbortSignal;
  /** Control address of a running emulator. Default: an emulator of this process. */
  readonly controlUrl?: string;
  readonly port: number;
  readonly host: string;
  /** Writes the addresses for the POS, when the service answers. */
  readonly notice: (text: string) => void;
}

/** The emulator that a POS calls: its control interface, and what the POS must know of it. */
interface WatchedPlace {
  readonly control: Control;
  readonly addresses: Readonly<Record<string, string>>;
  /** Called when a situation has been set up. Resolves when the service answers. */
  readonly ready: () => Promise<void>;
}

/**
 * Sets up each situation and judges the requests of a POS.
 * @throws ConfigError before anything is played, UserError if no file has `expect`, or if it was stopped
 */
export async function expectOfPos(options: Expect): Promise<readonly Row[]> {
  const all = chosen(options);
  const scenarios = all.filter(({ expect }) => expect !== undefined);
  if (scenarios.length === 0) throw nothingPlayed("no file has expect; scenario run plays files with steps");
  for (const { file, rows } of scenarios) requireKnown(rows, `${file}: rows`);
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

/** Waits until the service answers again: a situation restarts it. A request for a page is no request of the POS. */
async function answering(url: string): Promise<void> {
  while (!(await fetch(url).catch(() => undefined))) await delay(LOOK_INTERVAL_MS);
}

async function watchEach(scenarios: readonly Scenario[], place: WatchedPlace, options: Expect): Promise<Row[]> {
  const { forPeople, ended, report } = reportsOf(options);
  const rows: Row[] = [];
  const named = new Set<string>();
  const first = (await judgedSince(place.control)).last;
  for (const scenario of scenarios) {
    const began = performance.now();
    const { last } = await judgedSince(place.control);
    const met = await resultOf(scenario, place, options, () => {
      if (forPeople) options.write(introduction(scenario, options));
    });
    const broken = (await judgedSince(place.control, last)).rows.filter(
      ({ id, outcome }) => outcome === "failed" && scenario.rows.includes(id),
    );
    for (const { id } of broken) named.add(id);
    const rules = broken.map(({ id, text, why }) => `${id}: ${text}\n  ${why.wrong}\n  ${why.change}`);
    const wrong = [...met.wrong, ...rules];
    if (options.stopped.aborted) break;
    const outcome: Outcome = wrong.length === 0 ? "passed" : "failed";
    const why = { ...(wrong.length === 0 ? {} : { wrong: wrong.join("\n") }), ...met.why };
    const ms = Math.round(performance.now() - began);
    const row = { id: scenarioName(scenario.file), text: scenario.name, outcome, why, exchange: [], ms };
    rows.push(row);
    ended(row);
  }
  const all = await judgedSince(place.control, first);
  const others = all.rows.filter(
    ({ id, outcome, why }) => !named.has(id) && (outcome === "failed" || why.note !== undefined),
  );
  rows.push(...others);
  for (const row of others) ended(row);
  report({ title: "What a POS sends", about: [], rows, refused: all.refused });
  if (!options.stopped.aborted) return rows;
  throw new UserError(`stopped; ${rows.length - others.length} of ${scenarios.length} situations were judged`);
}

/** What the rules of `rehearse` say of the requests after the one with this id. */
const judgedSince = async (control: Control, id = 0) =>
  (await control("GET", `/rehearsal?since=${id}`)) as RehearsalRecord;

function introduction({ name, about }: Scenario, { command, for: patience }: Expect): string {
  const [program] = command;
  const limit = patience === undefined ? "until it ends; --for limits its time" : `for up to ${patience / 1000} s`;
  const what =
    program === undefined
      ? `watching for up to ${(patience ?? SITUATION_LIMIT_MS) / 1000} s`
      : `watching what ${program} sends, ${limit}`;
  return `\n${name}\n${about === undefined ? "" : `${about.trimEnd()}\n`}${what}\n`;
}

const SITUATION_LIMIT_MS = 60_000;

/**
 * Watches a POS in one situation.
 * @param begun called when the world is ready and the POS may begin
 * @returns what the POS does wrong, if anything, and whether its command was stopped
 */
async function resultOf(
  scenario: Scenario,
  { control, addresses, ready }: WatchedPlace,
  { command, for: patience, stopped }: Expect,
  begun: () => void,
): Promise<{ readonly wrong: readonly string[]; readonly why?: Row["why"] }> {
  const { file, given, expect = [], lines } = scenario;
  try {
    await beginGiven(control, given, { realTime: true });
  } catch (error) {
    return { wrong: [failureText(scenario, unmade(error))] };
  }
  await ready();
  await control("DELETE", "/traffic");
  const inOrder = stepsIn(expect);
  if (inOrder) await control("POST", "/rehearsal/situation", { inOrder });
  begun();
  const sent = async () =>
    ((await control("POST", "/traffic/find", {})) as { requests: readonly SentRequest[] }).requests;
  const limits = patience === undefined ? [] : [AbortSignal.timeout(patience)];
  const isSettled = async () => expect.every(settles) && unmetBy(expect, await sent()).length === 0;
  const status =
    command.length > 0
      ? await runPosCommand(command, addresses, AbortSignal.any([stopped, ...limits]))
      : await until(isSettled, stopped, patience ?? SITUATION_LIMIT_MS);
  const wasStopped = limits.some(({ aborted }) => aborted);
  const requests = await sent();
  const lineOf = (index: number) => `${file}:${lines[index] ?? 1}: expect ${index + 1}`;
  const wrong = unmetBy(expect, requests).map((one) => `${lineOf(one.index)}: ${unmetText(one)}`);
  if (wrong.length === 0 && requests.length === 0) wrong.push(`nothing was judged: ${nothingSent(command, addresses)}`);
  const called = command.join(" ");
  if (status && !wasStopped) wrong.push(`${called} ended with exit status ${status}`);
  return wasStopped
    ? { wrong, why: { note: `${called} was stopped after ${(patience ?? 0) / 1000} s (--for)` } }
    : { wrong };
}

/** Whether a request can settle an expectation. What must not be sent, or how often, is known at the end only. */
function settles(expectation: Expectation): boolean {
  if ("inOrder" in expectation) {
    const last = expectation.inOrder.findLast((entry) => !isWorldStep(entry));
    return !(last && "notSent" in last);
  }
  return expectation.notSent === undefined && expectation.times === undefined;
}
