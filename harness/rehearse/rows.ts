/** Fills in the list of an authority from the requests of a POS. The functions have no side effects. */
import { lineOf } from "../scenario/find-requests.js";
import { fieldsOf } from "../scenario/json.js";
import { failedFirst, type Report } from "../scenario/report.js";
import type { SentRequest } from "../scenario/request-types.js";
import type { Row } from "../scenario/row.js";
import { EYES } from "./eyes.js";
import { noteOf } from "./notes.js";
import { type Finding, findingOf, NOT_SEEN, type Rule } from "./rule.js";
import { RULES } from "./rules.js";
import { samplesOf } from "./samples.js";
import { type Session, sessionOf } from "./session.js";

/** Rows that may say why a till sells nothing. */
const EXPLAINING = ["OPS-002-PIN", "FORB-001-ERROR", "FORB-001-LOST", "TAX-001", "OPS-008"];

/**
 * Returns all rows with their outcomes, failed ones first.
 * @param requests oldest first @param country code of the service's country; undefined if it is unknown
 */
export function rowsOf(requests: readonly SentRequest[], country?: string): Row[] {
  const session = sessionOf(requests, country);
  const refused = newestRefused(session);
  const byId = new Map(requests.map((request) => [request.id, request]));
  const rules = RULES.filter(({ applies = () => true }) => applies(session));
  const findings = new Map(rules.map((rule) => [rule.id, findingOf(rule, session)]));
  // Why a till sells nothing is named once.
  const isExplained = EXPLAINING.some((id) => findings.get(id)?.kind === "failed");
  if (session.sales.length === 0 && isExplained) findings.set("SELLS", NOT_SEEN);
  const rows = rules.map((rule): Row => {
    const { id, text, source, todo, change } = rule;
    const finding: Finding = findings.get(id) ?? NOT_SEEN;
    const row = { id, text, outcome: finding.kind };
    const noted = noteOf(id, session);
    const note = noted === undefined ? {} : { note: noted };
    if (finding.kind === "not seen") {
      const { missing } = finding;
      const rest = {
        ...(missing ? { missing: missing.join(", ") } : {}),
        ...(refused && wouldShow(rule, refused, session) ? { refused: refusalText(refused) } : {}),
      };
      return { ...row, why: { "to do": todo, ...rest, ...note, source }, exchange: [] };
    }
    const exchange = finding.requests.flatMap((number) => {
      const request = byId.get(number);
      return request ? [{ id: number, line: lineOf(request) }] : [];
    });
    const why = finding.kind === "failed" ? { wrong: finding.value, change } : {};
    return { ...row, why: { ...why, ...note, source }, exchange };
  });
  return failedFirst([
    ...rows,
    ...EYES.map(({ id, text, source }): Row => {
      return { id, text, outcome: "needs a person", why: { source }, exchange: [] };
    }),
  ]);
}

/** The newest refused invoice, as long as nothing was signed after it. */
function newestRefused({ posted, sales }: Session): SentRequest | undefined {
  const request = posted.findLast(({ status }) => status >= 400);
  return request && sales.some((sale) => sale.request.id > request.id) ? undefined : request;
}

const refusalText = (request: SentRequest): string =>
  [`request ${request.id}: ${lineOf(request)}`, ...reasonsIn(request.answer)].join(", ");

/** Describes the newest refused invoice and its reason, as long as nothing was signed after it. */
export function refusedIn(requests: readonly SentRequest[]): string | undefined {
  const refused = newestRefused(sessionOf(requests));
  return refused && refusalText(refused);
}

/** Whether a row would have been seen in a refused invoice, if the service had signed it. */
function wouldShow(rule: Rule, request: SentRequest, session: Session): boolean {
  if (!("shows" in rule)) return rule.id === "SELLS";
  const { shows, names = [""] } = rule;
  const receipt = { invoiceNumber: "", sdcDateTime: request.at, totalAmount: 0 };
  const [sale] = sessionOf([{ ...request, signed: true, answer: receipt }]).sales;
  return sale !== undefined && names.some((name) => shows(sale, session, name));
}

/** The reasons in an error record: its message, and the code of each wrong field. */
function reasonsIn(answer: unknown): string[] {
  const { message, modelState } = fieldsOf(answer);
  const fields = Array.isArray(modelState) ? modelState.map(fieldsOf) : [];
  return [
    ...(typeof message === "string" && message !== "" ? [message] : []),
    ...fields.map(({ property, errors }) => `${property}: ${[errors].flat().join(" ")}`),
  ];
}

/** Where the rules come from. Every report has this text. */
const ORIGIN =
  "These rules come from public digests of one authority's documents, not from the authority. The authority alone decides about an approval.";

/** Adds the bodies of the requests, which only a page has room for. */
export function withBodies(rows: readonly Row[], requests: readonly SentRequest[]): Row[] {
  const bodies = new Map(requests.map(({ id, body }) => [id, body]));
  return rows.map((row) => ({
    ...row,
    exchange: row.exchange.map((one) => {
      const body = bodies.get(one.id ?? 0) ?? null;
      return body === null ? one : { ...one, text: JSON.stringify(body, null, 2) };
    }),
  }));
}

/** @param requests all requests of the rehearsal @param at time of the report, ISO 8601 */
export function rehearsalReport(rows: readonly Row[], requests: readonly SentRequest[], at: string): Report {
  return {
    title: "Rehearsal of an approval",
    suite: "rehearsal",
    about: [`Requests: ${requests.length}, ${at}. The receipts of an emulator are not valid.`, ORIGIN],
    refused: refusedIn(requests),
    rows,
    receipts: samplesOf(sessionOf(requests)).map(([name, sale]) => [name, sale?.receipt]),
  };
}
