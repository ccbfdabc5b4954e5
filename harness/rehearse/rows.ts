/** Fills in the list of an authority from the requests of a POS. The functions have no side effects. */
import { lineOf } from "../scenario/find-requests.js";
import type { SentRequest } from "../scenario/request-types.js";
import { EYES } from "./eyes.js";
import type { Row, RowState } from "./row.js";
import { RULES } from "./rules.js";
import { type Session, sessionOf } from "./session.js";

/**
 * Returns all rows with their results, failed ones first.
 * @param requests oldest first @param country code of the service's country; undefined if it is unknown
 */
export function rowsOf(requests: readonly SentRequest[], country?: string): Row[] {
  const session = { ...sessionOf(requests), country };
  const refused = newestRefused(session);
  const rules = RULES.filter(({ applies = () => true }) => applies(session));
  const rows = rules.map(({ id, text, source, todo, change, judge }): Row => {
    const finding = judge(session);
    const row = { id, text, source, state: finding.kind, requests: "requests" in finding ? finding.requests : [] };
    if (finding.kind === "failed") return { ...row, value: finding.value, change };
    if (finding.kind === "passed") return row;
    const { missing } = finding;
    return { ...row, todo, ...(missing ? { missing } : {}), ...(refused === undefined ? {} : { refused }) };
  });
  const isFailed = ({ state }: Row) => state === "failed";
  return [
    ...rows.filter(isFailed),
    ...rows.filter((row) => !isFailed(row)),
    ...EYES.map(({ id, text, source }): Row => ({ id, text, source, state: "eyes", requests: [] })),
  ];
}

/** Describes the newest refused invoice and its reason, as long as nothing was signed after it. */
function newestRefused({ posted, sales }: Session): string | undefined {
  const request = posted.findLast(({ status }) => status >= 400);
  if (!request || sales.some((sale) => sale.request.id > request.id)) return undefined;
  return [`request ${request.id}: ${lineOf(request)}`, ...reasonsIn(request.answer)].join(", ");
}

/** The reasons in an error record: its message, and the code of each wrong field. */
function reasonsIn(answer: unknown): string[] {
  const { message, modelState } = (answer ?? {}) as Readonly<Record<string, unknown>>;
  const fields = Array.isArray(modelState) ? (modelState as { property?: unknown; errors?: unknown }[]) : [];
  return [
    ...(typeof message === "string" && message !== "" ? [message] : []),
    ...fields.map(({ property, errors }) => `${property}: ${[errors].flat().join(" ")}`),
  ];
}

export const STATE_WORDS: Readonly<Record<RowState, string>> = {
  passed: "passed",
  failed: "failed",
  notSeen: "not seen",
  eyes: "needs a person",
};

/** Writes the number of rows by result, such as `12 passed, 1 failed, 17 not seen, 12 need a person`. */
export function rowsSummary(rows: readonly Row[]): string {
  const count = (state: RowState) => rows.filter((row) => row.state === state).length;
  return `${count("passed")} passed, ${count("failed")} failed, ${count("notSeen")} not seen, ${count("eyes")} need a person`;
}

/** Where the rules come from. Every report has this text. */
export const ORIGIN =
  "These rules come from public digests of one authority's documents, not from the authority. The authority alone decides about an approval.";
