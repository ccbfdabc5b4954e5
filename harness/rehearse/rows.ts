/** Fills in the list of an authority from the requests of a POS. The functions have no side effects. */
import type { SentRequest } from "../scenario/request-types.js";
import { EYES } from "./eyes.js";
import type { Row, RowState } from "./row.js";
import { RULES } from "./rules.js";
import { sessionOf } from "./session.js";

/**
 * Returns all rows with their results.
 * @param requests oldest first @param country code of the service's country; undefined if it is unknown
 */
export function rowsOf(requests: readonly SentRequest[], country?: string): Row[] {
  const session = { ...sessionOf(requests), country };
  const rules = RULES.filter(({ applies = () => true }) => applies(session));
  const rows = rules.map(({ id, text, source, todo, change, judge }): Row => {
    const finding = judge(session);
    const row = { id, text, source, state: finding.kind, requests: "requests" in finding ? finding.requests : [] };
    if (finding.kind === "failed") return { ...row, value: finding.value, change };
    if (finding.kind === "passed") return row;
    return { ...row, todo, ...(finding.missing ? { missing: finding.missing } : {}) };
  });
  return [...rows, ...EYES.map(({ id, text, source }): Row => ({ id, text, source, state: "eyes", requests: [] }))];
}

export const STATE_WORDS: Readonly<Record<RowState, string>> = {
  passed: "passed",
  failed: "failed",
  notSeen: "not seen yet",
  eyes: "needs eyes",
};

/** Writes the number of rows by result, such as `12 passed, 1 failed, 17 not seen yet, 12 need eyes`. */
export function rowsSummary(rows: readonly Row[]): string {
  const count = (state: RowState) => rows.filter((row) => row.state === state).length;
  return `${count("passed")} passed, ${count("failed")} failed, ${count("notSeen")} not seen yet, ${count("eyes")} need eyes`;
}

/** Where the rules come from. Every report has this text. */
export const ORIGIN =
  "These rules come from public digests of one authority's documents, not from the authority. The authority alone decides about an approval.";
