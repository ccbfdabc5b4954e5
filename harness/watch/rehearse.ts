/** Runs `tillseal rehearse`: watches a POS, or plays a recording, and fills in the list of an approval. */
import { writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { World } from "../../emulator/world/world.js";
import { systemClock } from "../../src/base/clock.js";
import { linesText } from "../../src/base/terminal-text.js";
import { messageOf } from "../../src/base/thrown.js";
import { EXIT, UserError } from "../../src/base/user-error.js";
import { ConfigError } from "../../src/config/config-error.js";
import { logOf } from "../../src/config/log.js";
import { toIso } from "../../src/fiscal/time.js";
import { ControlServer } from "../control/control-server.js";
import { onlineLines } from "../control/online-lines.js";
import { openProxy, type ProxyOptions } from "../proxy/open-proxy.js";
import type { ProxyFault } from "../proxy/proxy-fault.js";
import { drive } from "../rehearse/drive.js";
import { htmlReport } from "../rehearse/html-report.js";
import { putSituation } from "../rehearse/put-situation.js";
import { Rehearsal } from "../rehearse/rehearsal.js";
import { jsonReport, junitReport, rowLines, textReport } from "../rehearse/report.js";
import type { Row } from "../rehearse/row.js";
import type { Situation } from "../rehearse/situations.js";
import { loadScenarios } from "../scenario/load.js";
import { play } from "../scenario/play.js";
import { failureText } from "../scenario/reports.js";
import { WorldStage } from "../scenario/world-stage.js";

export interface Rehearse {
  /** ms until the rehearsal ends. Default: it ends when {@link stopped} is aborted. */
  readonly patience?: number;
  /** File of a recording that the rehearsal judges instead of a POS. */
  readonly from?: string;
  /** Address of the service behind the recording proxy. Default: an emulator of this process. */
  readonly target?: URL;
  readonly port: number;
  readonly host: string;
  /** Whether an online service runs beside the emulator. */
  readonly vsdc: boolean;
  /** Whether the command sets up the situations of the guide, without a person. */
  readonly drive: boolean;
  readonly html?: string;
  readonly junit?: string;
  readonly json: boolean;
  readonly stopped: AbortSignal;
  /** Writes the report. */
  readonly write: (text: string) => void;
  /** Writes what happens during the rehearsal. */
  readonly notice: (text: string) => void;
}

/**
 * Runs a rehearsal and writes its reports.
 * @throws UserError if nothing was sent, or `from` is not a recording; ConfigError if a file cannot be read or written
 */
export async function rehearse(options: Rehearse): Promise<readonly Row[]> {
  const rehearsal = new Rehearsal();
  if (options.from !== undefined) await playRecording(options.from, rehearsal, options);
  else if (options.target) await watchThroughProxy(options.target, rehearsal, options);
  else await watchEmulator(rehearsal, options);
  return report(rehearsal, options);
}

/** Plays the recorded requests in an emulator, which signs them again. */
async function playRecording(file: string, rehearsal: Rehearsal, { notice }: Rehearse): Promise<void> {
  const [scenario] = loadScenarios(file);
  if (!scenario || scenario.expect) throw new UserError(`${file} is not a recording: it has no steps`, EXIT.usage);
  const { failure } = await play(scenario, async ({ given }) => {
    const stage = await WorldStage.open(given, { realTime: false });
    rehearsal.follow(stage.traffic, () => stage.world.country);
    return stage;
  });
  if (failure) notice(`the recording was played up to here only:\n${failureText(file, failure)}\n`);
}

async function watchEmulator(rehearsal: Rehearsal, options: Rehearse): Promise<void> {
  const { port, host, vsdc, notice } = options;
  const world = await World.open(vsdc ? { vsdc: {} } : {}, { port, host, realTime: true });
  const noLog = { log: logOf({ logLevel: "silent" }), allowedHosts: [], allowedOrigins: [] };
  const control = await ControlServer.open(world, { port: 0, host: "localhost", ...noLog });
  try {
    rehearsal.follow(world.traffic, () => world.country);
    notice(
      `point the POS at ${world.url}; the PIN of the card is 1234\n${world.url}/#/rehearsal shows the list live\n`,
    );
    if (world.vsdc) notice(linesText(onlineLines(world, control.url)));
    await watch(rehearsal, options, (situation) => putSituation(world, situation));
  } finally {
    await control.close();
    await world.close();
  }
}

/** The situations that the proxy can put, by id. A person puts the other situations at the service. */
const PROXY_FAULTS: Readonly<Record<string, ProxyFault>> = {
  "lose-answer": { on: "answer", kind: "connectionDropped", nth: 1 },
  "refuse-sale": { on: "request", kind: "code", code: "1999", nth: 1 },
  "card-fails": { on: "request", kind: "code", code: "2220", nth: 1 },
  "slow-answer": { on: "answer", kind: "latency", duration: "10s", nth: 1 },
};

async function watchThroughProxy(target: URL, rehearsal: Rehearsal, options: Rehearse): Promise<void> {
  const { port, host, notice } = options;
  const settings: ProxyOptions = {
    target,
    port,
    host,
    faults: [],
    allowedHosts: [],
    allowedOrigins: [],
    failed: () => undefined,
  };
  const proxy = await openProxy(settings);
  try {
    const country = await proxy.country();
    rehearsal.follow(proxy.traffic, () => country);
    notice(`point the POS at ${proxy.url}; requests go to ${proxy.target}\n`);
    await watch(rehearsal, options, async ({ id }) => {
      const fault = PROXY_FAULTS[id];
      if (fault) proxy.fault(fault);
      else notice("do this by hand at the service:\n");
    });
  } finally {
    await proxy.close();
  }
}

/** ms between two checks of the list. */
const LOOK = 200;

/** Watches until the time is over or a person stops the command. Prints each row when the row passes or fails. */
async function watch(
  rehearsal: Rehearsal,
  { patience = Number.POSITIVE_INFINITY, stopped, drive: drives, notice }: Rehearse,
  put: (situation: Situation) => Promise<void>,
): Promise<void> {
  const ended = new AbortController();
  const announced = async (situation: Situation) => {
    await put(situation);
    notice(linesText([`now: ${situation.text}`, `     ${situation.todo}`]));
  };
  const driving = drives ? drive({ rehearsal, put: announced, signal: ended.signal }) : Promise.resolve();
  const began = performance.now();
  const shown = new Map<string, string>();
  while (!stopped.aborted && performance.now() - began < patience) {
    for (const row of rehearsal.rows) {
      const lines = linesText(rowLines(row, rehearsal.requests));
      const isNews = row.state === "passed" || row.state === "failed";
      if (isNews && shown.get(row.id) !== row.state) notice(lines);
      shown.set(row.id, row.state);
    }
    await delay(LOOK);
  }
  ended.abort();
  await driving;
}

function report(rehearsal: Rehearsal, { html, junit, json, write, from }: Rehearse): readonly Row[] {
  const { rows, requests } = rehearsal;
  if (requests.length === 0) {
    const why = from === undefined ? "the POS sent nothing" : `${from} has no request that can be played`;
    throw new UserError(`nothing was judged: ${why}`, EXIT.nothingPlayed);
  }
  if (html !== undefined) writeReport("--html", html, htmlReport(rows, requests, toIso(systemClock.now())));
  if (junit !== undefined) writeReport("--junit", junit, junitReport(rows, requests));
  write(json ? jsonReport(rows, requests) : textReport(rows, requests));
  return rows;
}

/** Writes a report. @throws ConfigError if the file cannot be written */
function writeReport(flag: string, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new ConfigError(`${flag} ${file} cannot be written: ${messageOf(error)}`);
  }
}
