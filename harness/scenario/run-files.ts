/** Runs `tillseal scenario`. */
import { createHash } from "node:crypto";
import { relative } from "node:path";
import { SHIPPED_SCENARIOS } from "../../emulator/world/given-file.js";
import { didYouMean } from "../../src/base/did-you-mean.js";
import { forwardSlashes } from "../../src/base/forward-slashes.js";
import { readText } from "../../src/base/read-text.js";
import { jsonText, linesText } from "../../src/base/terminal-text.js";
import { EXIT, UserError } from "../../src/base/user-error.js";
import { type Control, controlAt, openControlledStage } from "./controlled-stage.js";
import { coverageOf, coverageText, holesOf } from "./coverage.js";
import { openForeignStage } from "./foreign-stage.js";
import { hidingPin } from "./hidden-pin.js";
import { loadScenarios, scenarioFiles } from "./load.js";
import { NOTHING_EXPECTED, type Played, play } from "./play.js";
import { rowOf, scenarioReport } from "./played-row.js";
import { type PlayOne, withPlayers } from "./players.js";
import { requireProof } from "./proof.js";
import { type Remote, remotePin } from "./remote.js";
import { aboveOf, REPORTS, type Report, type Reporter, rowText, summary, writeReport } from "./report.js";
import type { Row } from "./row.js";
import type { Scenario } from "./scenario.js";
import type { OpenStage } from "./stage.js";

export interface RunScenarioFiles {
  readonly paths: readonly string[];
  readonly filter?: string;
  /** Only the scenarios of one part: part number `index`, from 1, out of `of` parts. */
  readonly shard?: { readonly index: number; readonly of: number };
  readonly reporter: Reporter;
  readonly allowEmpty?: boolean;
  readonly bail?: boolean;
  readonly realTime?: boolean;
  /** The running service to play against. Default: worlds in this process. */
  readonly remote?: Remote;
  /** File for the reporter's report. If it is set, the terminal gets the lines for people. */
  readonly output?: string;
  /** Ends the run. The report has what was played. */
  readonly stopped?: AbortSignal;
  readonly write: (text: string) => void;
}

type Selection = Pick<RunScenarioFiles, "filter" | "shard">;
type RunOptions = Pick<RunScenarioFiles, "bail" | "stopped"> & { readonly ended?: (played: Played) => void };

/** @throws ConfigError before anything is played, UserError if nothing was played or the run was stopped */
export async function runScenarioFiles(options: RunScenarioFiles): Promise<readonly Played[]> {
  const { allowEmpty = false, realTime = false, remote, stopped } = options;
  const scenarios = chosen(options);
  const { ended, report } = reportsOf(options);
  const run = (players: readonly PlayOne[]) =>
    runScenarios(scenarios, players, { ...options, ended: (played) => ended(rowOf(played)) });
  const results = remote
    ? // There is only one remote card, so we play the scenarios one after the other.
      await onRemote(remote, { realTime }, (open) => run([(scenario) => play(scenario, open)]))
    : await withPlayers(scenarios.length, realTime, run);
  report(scenarioReport(results));
  if (stopped?.aborted) throw new UserError(`stopped; ${results.length} of ${scenarios.length} scenarios were played`);
  // An empty run proves nothing. With few scenarios in many shards, CI can accept empty shards with --allow-empty.
  if (!allowEmpty && results.every(({ outcome }) => outcome === "not applicable")) {
    if (results.some(({ reason }) => reason === NOTHING_EXPECTED))
      throw new UserError(`${NOTHING_EXPECTED}; --allow-empty accepts that`, EXIT.nothingPlayed);
    const why = scenarios.length === 0 ? "no scenario is in this part" : "no scenario applies to this service";
    throw nothingPlayed(`${why}; --allow-empty accepts that`);
  }
  return results;
}

/** Selects by tag and shard. File and name decide a shard, so that a new scenario does not move the others. */
export function select(scenarios: readonly Scenario[], { filter, shard }: Selection): Scenario[] {
  return scenarios.filter(({ name, file, tags }) => {
    if (filter !== undefined && !tags.includes(filter)) return false;
    if (!shard) return true;
    const number = createHash("sha256").update(`${file}\0${name}`).digest().readUInt32BE(0);
    return number % shard.of === shard.index - 1;
  });
}

/** Returns the results in the order of the scenarios. A scenario that was skipped after a failure has no result. */
async function runScenarios(
  scenarios: readonly Scenario[],
  players: readonly PlayOne[],
  { bail, stopped, ended }: RunOptions = {},
): Promise<Played[]> {
  const results = new Map<Scenario, Played>();
  const waiting = [...scenarios];
  let failed = false;
  const playOn = async (play: PlayOne) => {
    for (let next = waiting.shift(); next && !(bail && failed) && !stopped?.aborted; next = waiting.shift()) {
      const played = await play(next);
      results.set(next, played);
      failed ||= played.outcome === "failed";
      ended?.(played);
    }
  };
  await Promise.all(players.map(playOn));
  return scenarios.flatMap((scenario) => results.get(scenario) ?? []);
}

/** Reports each result as it comes, and all at the end. @throws ConfigError if the file cannot be written */
export function reportsOf(options: Pick<RunScenarioFiles, "reporter" | "output" | "write" | "remote">) {
  const { reporter, output, write, remote } = options;
  const hide = hidingPin(remote && remotePin(remote));
  if (output !== undefined) writeReport("--output", output);
  const forPeople = reporter === "pretty" || output !== undefined;
  return {
    forPeople,
    ended: forPeople ? (row: Row) => write(hide(rowText(row))) : () => undefined,
    report: (report: Report) => {
      if (forPeople) write(hide(linesText(["", ...aboveOf(report), summary(report.rows)])));
      else write(hide(REPORTS[reporter](report)));
      if (output !== undefined) writeReport("--output", output, hide(REPORTS[reporter](report)));
    },
  };
}

/** Lists the scenarios of a run without playing them. @throws UserError if there are no scenarios */
export function listRun(options: Omit<RunScenarioFiles, "write">): string {
  const scenarios = chosen(options);
  if (scenarios.length === 0 && !options.allowEmpty)
    throw nothingPlayed("no scenario is in this part; --allow-empty accepts that");
  return listText(scenarios, options.reporter === "json");
}

export function chosen(options: Selection & Pick<RunScenarioFiles, "paths" | "allowEmpty">) {
  const { paths, allowEmpty, ...selection } = options;
  const loaded = scenarioFiles(paths).flatMap(loadScenarios);
  if (loaded.length === 0) throw nothingPlayed(`there is no scenario in ${paths.join(", ")}`);
  const { filter: tag } = selection;
  if (tag !== undefined && !allowEmpty && !loaded.some(({ tags }) => tags.includes(tag))) {
    throw nothingPlayed(noSuchTag(tag, loaded));
  }
  return select(loaded, selection);
}

export function nothingPlayed(why: string): UserError {
  return new UserError(`nothing was played: ${why}`, EXIT.nothingPlayed);
}

function noSuchTag(tag: string, loaded: readonly Scenario[]): string {
  const tags = [...new Set(loaded.flatMap((scenario) => scenario.tags))].toSorted();
  const meant = didYouMean(tag, tags);
  return `no scenario has the tag ${tag}${meant}${meant ? " The" : "; the"} tags are ${tags.join(", ")}`;
}

/** Name of the snapshot that restores an emulator's world after scenarios were played in it. */
const BEFORE = "before-scenarios";

/** Calls `run` with stages on a running service. If the service is an emulator, its world is restored afterwards. */
export async function onRemote<T>(
  remote: Remote,
  options: { realTime: boolean },
  run: (open: OpenStage) => Promise<T>,
): Promise<T> {
  const { baseUrl } = remote;
  if ("allowed" in remote) return run(openForeignStage(remote));
  const control = controlAt(remote.controlUrl);
  return andRestored(control, async () => {
    await requireProof(baseUrl, control);
    return run(openControlledStage(baseUrl, control, options));
  });
}

/** Calls `run`, and then restores the world behind the control interface. */
export async function andRestored<T>(control: Control, run: () => Promise<T>): Promise<T> {
  await control("PUT", `/snapshots/${BEFORE}`);
  try {
    return await run();
  } finally {
    await control("POST", `/snapshots/${BEFORE}/restore`);
  }
}

/** Plays scenarios. @returns what they cover, as text, and the names of everything that they do not cover */
export async function scenarioCoverage(
  paths: readonly string[],
  json: boolean,
): Promise<{ text: string; holes: string[] }> {
  const scenarios = scenarioFiles(paths.length === 0 ? [SHIPPED_SCENARIOS] : paths).flatMap(loadScenarios);
  const results = await withPlayers(scenarios.length, false, (players) => runScenarios(scenarios, players));
  const coverage = coverageOf(results.filter(({ outcome }) => outcome === "passed"));
  const holes = holesOf(coverage);
  const holesText = holes.length === 0 ? "no hole\n" : `holes: ${holes.join(", ")}\n`;
  return {
    holes,
    text: json ? jsonText({ ...coverage, holes }) : `${coverageText(coverage)}\n${holesText}`,
  };
}

export function listScenarios(paths: readonly string[], json: boolean): string {
  const files = scenarioFiles(paths.length === 0 ? [SHIPPED_SCENARIOS] : paths);
  return listText(files.flatMap(loadScenarios), json);
}

function listText(scenarios: readonly Scenario[], json: boolean): string {
  const listed = scenarios.map(({ file, name, tags }) => ({ file: nameHere(file), name, tags }));
  if (json) return jsonText(listed);
  return linesText(listed.map((one) => `${one.file}: ${one.name}${one.tags.map((tag) => ` #${tag}`).join("")}`));
}

/** The text of a file or of all files of a folder, each after its name. @throws ConfigError for a mistake */
export function showScenario(path: string): string {
  const files = scenarioFiles([path]);
  files.forEach(loadScenarios);
  return files.map((file) => `# ${nameHere(file)}\n${readText(file).trimEnd()}\n`).join("\n");
}

const nameHere = (file: string) => forwardSlashes(relative(process.cwd(), file));
