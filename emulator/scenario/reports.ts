/** What came of the scenarios: for people, for CI viewers, for programs. */

import { showBody } from "./match.js";
import { describeRequest, type Failure, type Played } from "./play.js";

export const REPORTERS = ["pretty", "junit", "json"] as const;
export type Reporter = (typeof REPORTERS)[number];

const MARKS = { passed: "ok  ", failed: "FAIL", "not-applicable": "n/a " } as const;

/** One line a scenario, and the whole story of each failure. */
export function prettyLine({ scenario, status, failure, reason }: Played): string {
  const line = `${MARKS[status]}  ${scenario.name}`;
  if (reason !== undefined) return `${line}\n      ${reason}`;
  return failure ? `${line}\n${indent(failureText(scenario.file, failure))}` : line;
}

export function summary(results: readonly Played[]): string {
  const count = (status: Played["status"]) => results.filter((played) => played.status === status).length;
  const notApplicable = count("not-applicable");
  const rest = notApplicable === 0 ? "" : `, ${notApplicable} not applicable`;
  return `${count("passed")} passed, ${count("failed")} failed${rest}`;
}

/** Where, what was expected, what came, and the exchange. */
export function failureText(file: string, failure: Failure): string {
  const { step, line, say, message, differences, exchange } = failure;
  const lines = [`${file}:${line}: step ${step}${say === undefined ? "" : ` (${say})`}: ${message}`];
  for (const { path, expected, actual } of differences) {
    lines.push(
      `  ${path || "the whole"}: expected ${expected}`,
      `  ${" ".repeat((path || "the whole").length)}  but was  ${actual}`,
    );
  }
  if (exchange) {
    const { request, answer } = exchange;
    lines.push("the request was:", indent(describeRequest(request)), "the answer was:");
    lines.push(indent(answer ? `${answer.status}\n${showBody(answer.text)}` : "none, the connection broke"));
  }
  return lines.join("\n");
}

function indent(text: string): string {
  return text.replace(/^/gm, "      ");
}

export function jsonReport(results: readonly Played[]): string {
  const scenarios = results.map(({ scenario, status, failure, reason, ms }) => ({
    name: scenario.name,
    file: scenario.file,
    tags: scenario.tags,
    status,
    ms: Math.round(ms),
    ...(failure ? { failure: { ...failure, exchange: undefined, text: failureText(scenario.file, failure) } } : {}),
    ...(reason === undefined ? {} : { reason }),
  }));
  return `${JSON.stringify({ summary: summary(results), scenarios }, null, 2)}\n`;
}

/** JUnit's XML, a suite a file, as CI viewers read it. */
export function junitReport(results: readonly Played[]): string {
  const files = [...new Set(results.map(({ scenario }) => scenario.file))];
  const suites = files.map((file) => {
    const own = results.filter(({ scenario }) => scenario.file === file);
    const count = (status: Played["status"]) => own.filter((played) => played.status === status).length;
    const attributes = `name="${xml(file)}" tests="${own.length}" failures="${count("failed")}" skipped="${count("not-applicable")}" time="${seconds(own)}"`;
    return `  <testsuite ${attributes}>\n${own.map(testCase).join("")}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites time="${seconds(results)}">\n${suites.join("")}</testsuites>\n`;
}

function testCase(played: Played): string {
  const { scenario, failure, reason } = played;
  const open = `    <testcase classname="${xml(scenario.file)}" name="${xml(scenario.name)}" time="${seconds([played])}"`;
  if (failure) {
    return `${open}>\n      <failure message="${xml(failure.message)}">${xml(failureText(scenario.file, failure))}</failure>\n    </testcase>\n`;
  }
  return reason === undefined
    ? `${open}/>\n`
    : `${open}>\n      <skipped message="${xml(reason)}"/>\n    </testcase>\n`;
}

function seconds(results: readonly Played[]): string {
  return (results.reduce((sum, { ms }) => sum + ms, 0) / 1000).toFixed(3);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

function xml(text: string): string {
  // Characters that XML 1.0 does not know cannot be escaped either.
  return text
    .replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}
