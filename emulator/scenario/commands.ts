/** The work behind `tillseal scenario`. */
import { join, relative } from "node:path";
import { PACKAGE_ROOT } from "../../src/package-root.js";
import type { Given } from "../world/given.js";
import { coverageOf, coverageText, holesOf } from "./coverage.js";
import { loadScenarios, scenarioFiles } from "./load.js";
import type { Played } from "./play.js";
import { openRemoteStage } from "./remote-stage.js";
import { jsonReport, junitReport, prettyLine, type Reporter, summary } from "./reports.js";
import { runScenarios, type Selection, select } from "./run.js";
import { WorldStage } from "./world-stage.js";

/** The scenarios that come with the package. */
export const SHIPPED_SCENARIOS = join(PACKAGE_ROOT, "scenarios");

/** A world waits for the disk and for the card's arithmetic in turn: a few at a time keep both cores busy. */
const PARALLEL = 4;

export interface RunScenarioFiles {
  readonly paths: readonly string[];
  readonly reporter: Reporter;
  readonly selection: Selection;
  readonly bail: boolean;
  readonly realTime: boolean;
  /** A service that runs there, instead of a world of our own. */
  readonly baseUrl?: string;
  readonly write: (text: string) => void;
}

/** Returns whether any failed. @throws ScenarioFileError before anything is played */
export async function runScenarioFiles(options: RunScenarioFiles): Promise<boolean> {
  const { paths, reporter, selection, bail, realTime, baseUrl, write } = options;
  const scenarios = select(scenarioFiles(paths).flatMap(loadScenarios), selection);
  const open =
    baseUrl === undefined ? (given: object) => WorldStage.open(given, { realTime }) : openRemoteStage(baseUrl);
  const ended = reporter === "pretty" ? (played: Played) => write(`${prettyLine(played)}\n`) : () => undefined;
  // A remote card is one card: what is played against it is played in order.
  const results = await runScenarios(scenarios, open, { bail, parallel: baseUrl === undefined ? PARALLEL : 1, ended });
  if (reporter === "junit") write(junitReport(results));
  else if (reporter === "json") write(jsonReport(results));
  else write(`\n${summary(results)}\n`);
  return results.some(({ status }) => status === "failed");
}

/** What the scenarios show, and what nothing shows. */
export async function scenarioCoverage(
  paths: readonly string[],
  json: boolean,
): Promise<{ text: string; holes: string[] }> {
  const files = scenarioFiles(paths.length === 0 ? [SHIPPED_SCENARIOS] : paths);
  const open = (given: Given) => WorldStage.open(given, { realTime: false });
  const results = await runScenarios(files.flatMap(loadScenarios), open, { bail: false, parallel: PARALLEL });
  const coverage = coverageOf(results.filter(({ status }) => status === "passed"));
  const holes = holesOf(coverage);
  const said = holes.length === 0 ? "no hole\n" : `holes: ${holes.join(", ")}\n`;
  return {
    holes,
    text: json ? `${JSON.stringify({ ...coverage, holes }, null, 2)}\n` : `${coverageText(coverage)}\n${said}`,
  };
}

export function listScenarios(paths: readonly string[], json: boolean): string {
  const files = scenarioFiles(paths.length === 0 ? [SHIPPED_SCENARIOS] : paths);
  const found = files
    .flatMap(loadScenarios)
    .map(({ file, name, tags }) => ({ file: relative(process.cwd(), file), name, tags }));
  if (json) return `${JSON.stringify(found, null, 2)}\n`;
  const line = (entry: (typeof found)[number]) =>
    `${entry.file}: ${entry.name}${entry.tags.map((tag) => ` #${tag}`).join("")}\n`;
  return found.map(line).join("");
}

/** Each scenario of a file in words. */
export function showScenario(file: string): string {
  const scenarios = loadScenarios(file);
  const [first] = scenarios;
  if (!first) return "";
  const about = first.about === undefined ? "" : `${first.about.trim()}\n`;
  const given = `given: ${JSON.stringify(first.given, null, 2)}\n`;
  const names = scenarios.map(({ name, steps }) => `- ${name} (${steps.length} steps)\n`).join("");
  return `${about}${names}${given}`;
}
