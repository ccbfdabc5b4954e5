/** Writes the list for the terminal, for CI viewers and for programs. */
import { jsonText, linesText } from "../../src/base/terminal-text.js";
import { lineOf } from "../scenario/find-requests.js";
import { junit } from "../scenario/junit.js";
import type { SentRequest } from "../scenario/request-types.js";
import type { Row } from "./row.js";
import { ORIGIN, rowsSummary, STATE_WORDS } from "./rows.js";

/** All words are equally wide, so that the lines below each other align. */
const WIDTH = Math.max(...Object.values(STATE_WORDS).map(({ length }) => length));

/** Writes a row with its result and what to do about it. */
export function rowLines(row: Row, requests: readonly SentRequest[]): string[] {
  const { id, text, state } = row;
  return [
    `${STATE_WORDS[state].padEnd(WIDTH)}  ${id}: ${text}`,
    ...detailsOf(row, requests).map((line) => `      ${line}`),
  ];
}

function detailsOf(
  { state, requests: ids, value, change, todo, missing, refused }: Row,
  requests: readonly SentRequest[],
) {
  if (state === "passed") return [`requests ${ids.join(", ")}`];
  if (state === "eyes") return [];
  if (state === "failed") return [`wrong: ${value ?? ""}`, ...named(ids, requests), `change: ${change ?? ""}`];
  return [
    `to do: ${todo ?? ""}`,
    ...(missing ? [`missing: ${missing.join(", ")}`] : []),
    ...(refused === undefined ? [] : [`refused: ${refused}`]),
  ];
}

function named(ids: readonly number[], requests: readonly SentRequest[]): string[] {
  return requests.filter(({ id }) => ids.includes(id)).map((request) => `request ${request.id}: ${lineOf(request)}`);
}

export function textReport(rows: readonly Row[], requests: readonly SentRequest[]): string {
  return linesText([...rows.flatMap((row) => rowLines(row, requests)), "", rowsSummary(rows), ORIGIN]);
}

export function jsonReport(rows: readonly Row[], requests: readonly SentRequest[]): string {
  return jsonText({ origin: ORIGIN, summary: rowsSummary(rows), requests: requests.length, rows });
}

/** Writes JUnit XML. A row that was not seen, or that needs a person, counts as skipped, never as passed. */
export function junitReport(rows: readonly Row[], requests: readonly SentRequest[]): string {
  const cases = rows.map((row) => {
    const name = `${row.id}: ${row.text}`;
    const details = detailsOf(row, requests).join("\n");
    if (row.state === "failed") return { name, ms: 0, failure: { message: row.value ?? "", text: details } };
    if (row.state === "passed") return { name, ms: 0 };
    return { name, ms: 0, skipped: `${STATE_WORDS[row.state]}${row.todo === undefined ? "" : `: ${row.todo}`}` };
  });
  return junit([{ name: "rehearsal", cases }]);
}
