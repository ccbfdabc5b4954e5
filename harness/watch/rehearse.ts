/** Runs `tillseal rehearse`: watches a POS, or plays a recording, and fills in the list of an approval. */
import { setTimeout as delay } from "node:timers/promises";
import type { WorldStep } from "../../emulator/world/step-types.js";
import { World } from "../../emulator/world/world.js";
import { systemClock } from "../../src/base/clock.js";
import { didYouMean } from "../../src/base/did-you-mean.js";
import { linesText } from "../../src/base/terminal-text.js";
import { messageOf } from "../../src/base/thrown.js";
import { EXIT, UserError } from "../../src/base/user-error.js";
import { ConfigError } from "../../src/config/config-error.js";
import { toIso } from "../../src/fiscal/time.js";
import { API_PREFIX } from "../../src/http/endpoints.js";
import { compileSchema } from "../../src/schema/validator.js";
import { openProxy } from "../proxy/open-proxy.js";
import { proxyFaultOf } from "../proxy/proxy-fault.js";
import { Rehearsal } from "../rehearse/rehearsal.js";
import { rehearsalReport, withBodies } from "../rehearse/rows.js";
import { RULES } from "../rehearse/rules.js";
import { REHEARSAL } from "../rehearse/schemas.js";
import { controlAt } from "../scenario/controlled-stage.js";
import { httpCall } from "../scenario/http-call.js";
import { loadScenarios } from "../scenario/load.js";
import { play } from "../scenario/play.js";
import { failureText } from "../scenario/played-row.js";
import { htmlReport, jsonReport, junitReport, rowText, textReport, writeReport } from "../scenario/report.js";
import type { RehearsalRecord, Row } from "../scenario/row.js";
import type { Scenario } from "../scenario/scenario.js";
import type { ShippedScenario } from "../scenario/shipped.js";
import { Situations } from "../scenario/situations.js";
import { worldStage } from "../scenario/world-stage.js";
import { drive, LOOK_INTERVAL_MS } from "./drive.js";
import { runPosCommand } from "./pos-command.js";
import { nothingSent, openPosEmulator } from "./pos-emulator.js";

export interface RehearseFlags {
  /** ms until the rehearsal ends. Default: it ends when {@link Rehearse.stopped} is aborted. */
  readonly for?: number;
  /** File of a recording that the rehearsal judges instead of a POS. */
  readonly from?: string;
  /** Control interface of an emulator whose rehearsal has the report: the tests of the POS have run elsewhere. */
  readonly controlUrl?: string;
  /** Address of the service behind the recording proxy. Default: an emulator of this process. */
  readonly target?: URL;
  readonly vsdc?: boolean;
  readonly drive?: boolean;
  readonly require?: readonly string[];
  readonly html?: string;
  readonly junit?: string;
  readonly json?: boolean;
  readonly host: string;
}

export interface Rehearse extends RehearseFlags {
  /** The command that tests the POS; its end ends the rehearsal. Empty without a command. */
  readonly command: readonly string[];
  readonly port: number;
  readonly stopped: AbortSignal;
  readonly write: (text: string) => void;
  /** Writes what happens during the rehearsal. */
  readonly notice: (text: string) => void;
}

export interface Rehearsed {
  readonly rows: readonly Row[];
  readonly status: number;
}

type Judge = Pick<Rehearsal, "rows" | "requests"> & Partial<Pick<Rehearsal, "whyEmpty">>;

/**
 * Runs a rehearsal and writes its reports.
 * @throws UserError if nothing was sent, or `from` is not a recording; ConfigError if a file cannot be read or written
 */
export async function rehearse(options: Rehearse): Promise<Rehearsed> {
  requireKnown(options.require ?? []);
  const recording = options.from === undefined ? undefined : recordingIn(options.from);
  // A file that cannot be written is found now, not after hours.
  for (const flag of ["html", "junit"] as const) {
    const file = options[flag];
    if (file !== undefined) writeReport(`--${flag}`, file);
  }
  if (recording) return judged(await playRecording(recording, options), options, {});
  const { controlUrl } = options;
  if (controlUrl !== undefined) return judged(await judgeAt(controlUrl), options, { TILLSEAL_CONTROL_URL: controlUrl });
  return options.target ? watchThroughProxy(options.target, options) : watchEmulator(options);
}

/** @param place that names the rows @throws ConfigError */
export function requireKnown(rows: readonly string[], place = "--require"): void {
  const ids = ["all", ...RULES.map(({ id }) => id)];
  for (const id of rows) {
    if (!ids.includes(id)) throw new ConfigError(`${place} ${id}: there is no such row${didYouMean(id, ids)}`);
  }
}

function recordingIn(file: string): Scenario {
  const [scenario] = loadScenarios(file);
  if (scenario && !scenario.expect) return scenario;
  throw new UserError(`${file} is not a recording: it has no steps`, EXIT.usage);
}

/** Plays the recorded requests in an emulator, which signs them again. */
async function playRecording(scenario: Scenario, { notice }: Rehearse): Promise<Rehearsal> {
  const rehearsal = new Rehearsal();
  const { failure } = await play(scenario, async ({ given }) => {
    const world = await World.open(given);
    rehearsal.follow(world.traffic, () => world.country);
    return worldStage(world);
  });
  if (failure) notice(`the recording was played up to here only:\n${failureText(scenario, failure)}\n`);
  return rehearsal;
}

/** Asks the judge of a running emulator. @throws UserError if no emulator of this version answers */
async function judgeAt(controlUrl: string): Promise<Judge> {
  const control = controlAt(controlUrl);
  const record = await control("GET", "/rehearsal");
  const found = (await control("POST", "/traffic/find", {})) as Partial<Pick<Judge, "requests">> | null | undefined;
  if (!compileSchema<RehearsalRecord>(REHEARSAL, Number.POSITIVE_INFINITY)(record) || !found?.requests) {
    throw new UserError(`what answers at ${controlUrl} is not an emulator of this version`);
  }
  return { rows: record.rows, requests: found.requests };
}

async function watchEmulator(options: Rehearse): Promise<Rehearsed> {
  const emulator = await openPosEmulator(options);
  const { rehearsal, situations, addresses } = emulator;
  try {
    options.notice(linesText(emulator.lines));
    const posStatus = await watch({ rehearsal, situations }, addresses, options);
    return judged(rehearsal, options, addresses, posStatus);
  } finally {
    await emulator.close();
  }
}

async function watchThroughProxy(target: URL, options: Rehearse): Promise<Rehearsed> {
  const { port, host, notice } = options;
  const rehearsal = new Rehearsal();
  await requireAnswer(target);
  const others = { faults: [], allowedHosts: [], allowedOrigins: [], failed: () => undefined };
  const proxy = await openProxy({ target, port, host, ...others });
  try {
    const country = await proxy.country();
    rehearsal.follow(proxy.traffic, () => country);
    notice(`point the POS at ${proxy.url}; requests go to ${proxy.target}\n`);
    const addresses = { TILLSEAL_URL: proxy.url };
    const situations = new Situations({
      traffic: proxy.traffic,
      do: (step) => {
        for (const fault of faultsIn(step)) {
          if (fault) proxy.fault(fault);
          else notice(`do this by hand at the service: ${JSON.stringify(step)}\n`);
        }
      },
    });
    const posStatus = await watch({ rehearsal, situations }, addresses, options);
    return judged(rehearsal, options, addresses, posStatus);
  } finally {
    await proxy.close();
  }
}

/** The faults of a step that the proxy can play; undefined for what only a person can do. */
const faultsIn = (step: WorldStep) =>
  "faults" in step && step.faults !== "clear" ? step.faults.map(proxyFaultOf) : [undefined];

/** @throws UserError if nothing answers at the address */
async function requireAnswer(target: URL): Promise<void> {
  const attention = { method: "GET", path: `${API_PREFIX}/attention`, headers: {}, body: undefined };
  await httpCall(target.href.replace(/\/$/, ""), attention).catch((error: unknown) => {
    throw new UserError(`no service answers at ${target.href} (--target): ${messageOf(error)}`);
  });
}

/** Ids of rows that may fail only at the end. */
const AT_END = new Set(RULES.flatMap(({ id, atEnd }) => (atEnd ? id : [])));

/**
 * Watches until the command or the time is over, or a person stops the rehearsal. Prints each row when the row passes
 * or fails.
 * @returns exit status of the command; undefined without a command
 */
async function watch(
  { rehearsal, situations }: { readonly rehearsal: Rehearsal; readonly situations: Situations },
  addresses: Readonly<Record<string, string>>,
  { command, for: patience = Number.POSITIVE_INFINITY, stopped, drive: drives, notice }: Rehearse,
): Promise<number | undefined> {
  const ended = new AbortController();
  const put = async ({ inOrder = [], about, todo }: ShippedScenario) => {
    await situations.begin(inOrder);
    notice(linesText([`now: ${about}`, `     ${todo}`]));
  };
  const driving = drives ? drive(rehearsal, put, ended.signal) : Promise.resolve();
  const running = command.length === 0 ? undefined : runPosCommand(command, addresses, ended.signal);
  let isRunning = true;
  const end = () => {
    isRunning = false;
  };
  driving.catch(end);
  running?.then(end, end);
  const began = performance.now();
  const shown = new Map<string, string>();
  try {
    while (isRunning && !stopped.aborted && performance.now() - began < patience) {
      for (const row of rehearsal.rows) {
        const isNews = row.outcome === "passed" || (row.outcome === "failed" && !AT_END.has(row.id));
        if (isNews && shown.get(row.id) !== row.outcome) notice(rowText(row));
        shown.set(row.id, row.outcome);
      }
      await delay(LOOK_INTERVAL_MS);
    }
  } finally {
    ended.abort();
    await running?.catch(() => undefined);
  }
  await driving;
  return running;
}

/** Writes the reports. @param addresses that the POS had @param posStatus exit status of the command that tested it */
function judged(
  rehearsal: Judge,
  options: Rehearse,
  addresses: Readonly<Record<string, string>>,
  posStatus = 0,
): Rehearsed {
  const { html, junit, json, write, notice, from } = options;
  const { rows, requests } = rehearsal;
  const failed = `${options.command.join(" ")} ended with exit status ${posStatus}`;
  if (requests.length === 0) {
    const sent = rehearsal.whyEmpty ?? nothingSent(options.command, addresses);
    const why = from === undefined ? sent : `${from} has no request that can be played`;
    throw new UserError(`nothing was judged: ${why}${posStatus === 0 ? "" : `; ${failed}`}`, EXIT.nothingPlayed);
  }
  const report = rehearsalReport(rows, requests, toIso(systemClock.now()));
  if (html !== undefined) writeReport("--html", html, htmlReport({ ...report, rows: withBodies(rows, requests) }));
  if (junit !== undefined) writeReport("--junit", junit, junitReport(report));
  write(json ? jsonReport(report) : textReport(report));
  const missing = unseenOf(rows, options.require);
  if (missing.length > 0) notice(`required, but not seen: ${missing.join(", ")}\n`);
  if (posStatus !== 0) notice(`${failed}\n`);
  const isWrong = posStatus !== 0 || missing.length > 0 || rows.some(({ outcome }) => outcome === "failed");
  if (isWrong) return { rows, status: EXIT.failed };
  const isProven = rows.some(({ outcome }) => outcome === "passed");
  if (!isProven) notice("nothing was proved: no row has passed, because the POS posted no invoice\n");
  return { rows, status: isProven ? EXIT.done : EXIT.nothingPlayed };
}

/** Ids of the required rows that were not judged. A row may be missing, because it is for another kind of POS. */
function unseenOf(rows: readonly Row[], required: readonly string[] = []): string[] {
  const isSeen = (id: string) => rows.some((row) => row.id === id && row.outcome !== "not seen");
  const ids = required.flatMap((id) => (id === "all" ? rows.map((row) => row.id) : id));
  return [...new Set(ids)].filter((id) => !isSeen(id));
}
