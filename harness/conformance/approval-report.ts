/**
 * Writes the report of `tillseal approval`: for each row of an approval, the evidence of the scenarios that were
 * played.
 */
import { html, page } from "../../src/http/html.js";
import type { Played } from "../scenario/play.js";
import type { Scenario } from "../scenario/scenario.js";
import { APPROVAL_ROWS, type ApprovalRow } from "./approval.js";

/** Result of a row. `needs a person` means that no scenario shows the row. */
export type ApprovalOutcome = "passed" | "failed" | "needs a person";

export interface ApprovalResult {
  readonly row: ApprovalRow;
  readonly outcome: ApprovalOutcome;
  /** The scenarios with the row's tag that were played. */
  readonly played: readonly Played[];
}

/** Returns the scenarios that show a row. They have the id of the row as a tag. */
export function scenariosOf({ id }: ApprovalRow, scenarios: readonly Scenario[]): Scenario[] {
  return scenarios.filter(({ tags }) => tags.includes(id));
}

/** Returns all scenarios that show at least one row. */
export function approvalScenarios(scenarios: readonly Scenario[]): Scenario[] {
  return scenarios.filter(({ tags }) => APPROVAL_ROWS.some(({ id }) => tags.includes(id)));
}

export function approvalResults(played: readonly Played[]): ApprovalResult[] {
  return APPROVAL_ROWS.map((row) => {
    const own = played.filter(({ scenario }) => scenario.tags.includes(row.id));
    const failed = own.some(({ status }) => status !== "passed");
    return { row, outcome: own.length === 0 ? "needs a person" : failed ? "failed" : "passed", played: own };
  });
}

/** Writes the number of rows for each outcome: `37 passed, 0 failed, 11 need a person`. */
export function approvalSummary(results: readonly ApprovalResult[]): string {
  const count = (outcome: ApprovalOutcome) => results.filter((result) => result.outcome === outcome).length;
  return `${count("passed")} passed, ${count("failed")} failed, ${count("needs a person")} need a person`;
}

interface About {
  /** Version of the service. */
  readonly version: string;
  /** Time of the report, ISO 8601. */
  readonly at: string;
}

const STYLE = `
  .verdict { display: inline-block; padding: 0 0.6rem; border-radius: 1rem; white-space: nowrap; border: 1px solid var(--line); }
  .passed { color: var(--good); background: var(--good-soft); }
  .failed { color: var(--bad); background: var(--bad-soft); }
  td:first-child { white-space: nowrap; }
  .receipts { display: flex; flex-wrap: wrap; gap: 1rem; } .receipts pre { margin: 0; }`;

export function approvalHtml(results: readonly ApprovalResult[], { version, at }: About): string {
  const rows = results.map(
    ({ row: { id, asks, owner, evidence, missing }, outcome, played }) =>
      `<tr><td>${html(id)}</td><td>${html(asks)}</td><td><span class="verdict ${outcome === "needs a person" ? "" : outcome}">${outcome}</span></td><td>${html(
        [...played.map(({ scenario }) => scenario.name), ...evidence].join("; ") || "none",
      )}</td><td>${owner}</td><td>${html(missing ?? "nothing")}</td></tr>\n`,
  );
  const receipts = results.map(({ row, played }) => section(row.id, played)).filter((text) => text !== "");
  const body = `<h1>Approval of a fiscal service</h1>
<p>${html(approvalSummary(results))}. tillseal ${html(version)}, ${html(at)}.</p>
<p>The rows come from public digests of one authority's documents, not from the authority. The run used an emulated card and an emulated authority: its receipts are not valid.</p>
<table><thead><tr><th>Row</th><th>What is asked</th><th>Result</th><th>Evidence</th><th>Who</th><th>What is missing</th></tr></thead><tbody>
${rows.join("")}</tbody></table>
<h2>Receipts of this run</h2>
${receipts.join("\n")}`;
  return page("Approval of a fiscal service", body, STYLE);
}

/** Writes the HTML of a row's receipts, which its scenarios made; "" if there are none. */
function section(id: string, played: readonly Played[]): string {
  const receipts = played.flatMap(({ exchanges }) => exchanges.flatMap(({ answer }) => receiptIn(answer?.text)));
  if (receipts.length === 0) return "";
  return `<h3>${html(id)}</h3>\n<div class="receipts">${receipts.map((text) => `<pre>${html(text)}</pre>`).join("\n")}</div>`;
}

/** Returns the journal and the verification address if the text is the answer to an invoice, else an empty list. */
function receiptIn(text = ""): string[] {
  try {
    const { journal, verificationUrl } = JSON.parse(text) as Record<string, unknown>;
    return typeof journal === "string" && typeof verificationUrl === "string" ? [`${journal}\n${verificationUrl}`] : [];
  } catch {
    return [];
  }
}
