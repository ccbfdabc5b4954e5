/** The row of a scenario that was played, and its texts about a failure. */
import { type Difference, showBody } from "../../emulator/faults/match.js";
import { scenarioName } from "../../emulator/world/given-file.js";
import { fieldsOf, jsonIn } from "./json.js";
import { describeRequest, type Exchange, type Failure, type Played } from "./play.js";
import type { Report } from "./report.js";
import type { Row, ShownExchange } from "./row.js";
import type { Scenario } from "./scenario.js";

export function rowOf({ scenario, outcome, failure, reason, ms }: Played): Row {
  const { file, name } = scenario;
  const why = failure ? { wrong: failureText(scenario, failure) } : reason === undefined ? {} : { reason };
  const exchange = failure?.exchange ? [shownExchange(failure.exchange)] : [];
  return { id: scenarioName(file), text: name, outcome, why, exchange, ms: Math.round(ms) };
}

export function scenarioReport(results: readonly Played[]): Report {
  const receipts = results.flatMap(({ scenario, exchanges }) =>
    exchanges.flatMap(({ answer }) =>
      receiptIn(answer?.text ?? "").map((receipt) => [scenario.name, receipt] as const),
    ),
  );
  return { title: "Scenarios", about: [], rows: results.map(rowOf), receipts };
}

/** Returns the receipt if the text is the answer to an invoice, else an empty list. */
function receiptIn(text: string): { readonly journal: string; readonly verificationUrl: string }[] {
  const { journal, verificationUrl } = fieldsOf(jsonIn(text));
  return typeof journal === "string" && typeof verificationUrl === "string" ? [{ journal, verificationUrl }] : [];
}

/** Writes a failure for people: its place, and what was expected and what came. */
export function failureText(scenario: Pick<Scenario, "file" | "placeOf">, failure: Failure): string {
  const { message, differences } = failure;
  return [`${scenario.file}:${placeText(failure, scenario)}: ${message}`, ...differences.flatMap(differenceLines)].join(
    "\n",
  );
}

function placeText({ step, line, given, say }: Failure, { placeOf }: Pick<Scenario, "placeOf">): string {
  const place = given && placeOf?.(["given", ...given]);
  if (place) return `${place.line}:${place.column}: given`;
  if (step === undefined) return `${line}: before the first step`;
  return `${line}: step ${step}${say === undefined ? "" : ` (${say})`}`;
}

export function differenceLines({ path, expected, actual }: Difference): string[] {
  const place = path || "the whole";
  return [`  ${place}: expected ${expected}`, `  ${" ".repeat(place.length)}  but was  ${actual}`];
}

export function shownExchange({ request, answer }: Exchange): ShownExchange {
  const came = answer ? `${answer.status}\n${showBody(answer.text)}` : "none, the connection broke";
  const text = `the request was:\n${indent(describeRequest(request))}\nthe answer was:\n${indent(came)}`;
  return { line: `${request.method} ${request.path}: ${answer?.status ?? "no answer"}`, text };
}

function indent(text: string): string {
  return text.replace(/^/gm, "      ");
}
