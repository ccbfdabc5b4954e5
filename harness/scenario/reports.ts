/** Writes reports of the results for people, CI viewers and programs. */

import { scenarioName } from "../../emulator/world/shipped-folder.js";
import { jsonText, VERDICT_WORDS } from "../../src/base/terminal-text.js";
import { type JunitCase, junit } from "./junit.js";
import { type Difference, showBody } from "./match.js";
import { describeRequest, type Exchange, type Failure, type Played } from "./play.js";

export type Reporter = "pretty" | "junit" | "json";

const WORDS = {
  passed: VERDICT_WORDS.ok,
  failed: VERDICT_WORDS.fail,
  "not-applicable": VERDICT_WORDS.notApplicable,
} as const;

/** Writes one line for a scenario and, if the scenario failed, the details of the failure. */
export function prettyLine({ scenario, status, failure, reason }: Played): string {
  const line = `${WORDS[status]}  ${scenario.name}`;
  if (reason !== undefined) return `${line}\n      ${reason}`;
  return failure ? `${line}\n${indent(failureText(scenario.file, failure))}` : line;
}

export function summary(results: readonly Played[]): string {
  const count = (status: Played["status"]) => results.filter((played) => played.status === status).length;
  const notApplicable = count("not-applicable");
  const rest = notApplicable === 0 ? "" : `, ${notApplicable} not applicable`;
  return `${count("passed")} passed, ${count("failed")} failed${rest}`;
}

/** Writes a failure for people: its place, what was expected, what came, and the exchange. */
export function failureText(file: string, failure: Failure): string {
  const { message, differences, exchange, details = [] } = failure;
  const lines = [`${file}:${placeText(failure)}: ${message}`];
  lines.push(...differences.flatMap(differenceLines), ...details);
  if (exchange) lines.push(exchangeText(exchange));
  return lines.join("\n");
}

function placeText({ step, line, column, say }: Failure): string {
  if (step === undefined && say !== undefined) return `${line}: ${say}`;
  if (step === undefined) return column === undefined ? `${line}: before the first step` : `${line}:${column}: given`;
  return `${line}: step ${step}${say === undefined ? "" : ` (${say})`}`;
}

export function differenceLines({ path, expected, actual }: Difference): string[] {
  const place = path || "the whole";
  return [`  ${place}: expected ${expected}`, `  ${" ".repeat(place.length)}  but was  ${actual}`];
}

export function exchangeText({ request, answer }: Exchange): string {
  const came = answer ? `${answer.status}\n${showBody(answer.text)}` : "none, the connection broke";
  return `the request was:\n${indent(describeRequest(request))}\nthe answer was:\n${indent(came)}`;
}

function indent(text: string): string {
  return text.replace(/^/gm, "      ");
}

function jsonReport(results: readonly Played[]): string {
  const scenarios = results.map(({ scenario, status, failure, reason, ms }) => ({
    name: scenario.name,
    file: scenario.file,
    tags: scenario.tags,
    status,
    ms: Math.round(ms),
    ...(failure ? { failure: { ...failure, exchange: undefined, text: failureText(scenario.file, failure) } } : {}),
    ...(reason === undefined ? {} : { reason }),
  }));
  return jsonText({ summary: summary(results), scenarios });
}

function prettyReport(results: readonly Played[]): string {
  return `${results.map((played) => `${prettyLine(played)}\n`).join("")}\n${summary(results)}\n`;
}

/** For each reporter, the function that writes all results in its form. */
export const REPORTS: Readonly<Record<Reporter, (results: readonly Played[]) => string>> = {
  pretty: prettyReport,
  junit: junitReport,
  json: jsonReport,
};

/** Writes JUnit XML with one suite for each scenario file. */
function junitReport(results: readonly Played[]): string {
  const files = [...new Set(results.map(({ scenario }) => scenario.file))];
  return junit(
    files.map((file) => ({
      name: scenarioName(file),
      cases: results.filter(({ scenario }) => scenario.file === file).map(testCase),
    })),
  );
}

function testCase({ scenario, failure, reason, ms }: Played): JunitCase {
  return {
    name: scenario.name,
    ms,
    ...(failure ? { failure: { message: failure.message, text: failureText(scenario.file, failure) } } : {}),
    ...(reason === undefined ? {} : { skipped: reason }),
  };
}
