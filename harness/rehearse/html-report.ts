/**
 * Writes the list and the fifteen sample receipts as one page that loads nothing else. Every text of the POS is
 * escaped.
 */
import { html, page } from "../../src/http/html.js";
import { lineOf } from "../scenario/find-requests.js";
import type { SentRequest } from "../scenario/request-types.js";
import { receiptPicture } from "./receipt-picture.js";
import type { Row } from "./row.js";
import { ORIGIN, rowsSummary, STATE_WORDS } from "./rows.js";
import { type Sample, samplesOf } from "./samples.js";
import { sessionOf } from "./session.js";

const STYLE = `
  .state { display: inline-block; padding: 0 0.6rem; border-radius: 1rem; white-space: nowrap; border: 1px solid var(--line); }
  .passed { color: var(--good); background: var(--good-soft); }
  .failed { color: var(--bad); background: var(--bad-soft); }
  td:first-child { white-space: nowrap; }
  .source, .muted { color: var(--muted); }
  .receipts { display: flex; flex-wrap: wrap; gap: 1rem; }
  figure { margin: 0; } figcaption { font-weight: 600; } svg { max-width: 100%; height: auto; border: 1px solid var(--line); }`;

/** Writes the page. @param at time of the report, ISO 8601 */
export function htmlReport(rows: readonly Row[], requests: readonly SentRequest[], at: string): string {
  const samples = samplesOf(sessionOf(requests));
  const body = `<h1>Rehearsal of an approval</h1>
<p>${html(rowsSummary(rows))}. ${requests.length} requests, ${html(at)}.</p>
<p><strong>${html(ORIGIN)}</strong> The receipts of an emulator are not valid.</p>
<table><thead><tr><th>Row</th><th>Result</th><th>What is asked, and what to do</th></tr></thead><tbody>
${rows.map((row) => tableRow(row, requests)).join("")}</tbody></table>
<h2>The fifteen sample receipts</h2>
<div class="receipts">${samples.map(figure).join("\n")}</div>`;
  return page("Rehearsal of an approval", body, STYLE);
}

function tableRow(row: Row, requests: readonly SentRequest[]): string {
  const { id, text, source, state } = row;
  const details = detailsOf(row).map((line) => `<br>${html(line)}`);
  const shown = requests.filter((request) => row.requests.includes(request.id)).map(requestDetails);
  return `<tr><td>${html(id)}</td><td><span class="state ${state}">${STATE_WORDS[state]}</span></td><td>${html(text)} <small class="source">${html(source)}</small>${details.join("")}${shown.join("")}</td></tr>\n`;
}

function detailsOf({ value, change, todo, missing, refused }: Row): string[] {
  return [
    ...(value === undefined ? [] : [`Wrong: ${value}`]),
    ...(change === undefined ? [] : [`Change: ${change}`]),
    ...(todo === undefined ? [] : [`To do: ${todo}`]),
    ...(missing === undefined ? [] : [`Missing: ${missing.join(", ")}`]),
    ...(refused === undefined ? [] : [`Refused: ${refused}`]),
  ];
}

function requestDetails(request: SentRequest): string {
  const body = request.body === null ? "" : `<pre>${html(JSON.stringify(request.body, null, 2))}</pre>`;
  return `<details><summary>Request ${request.id}: ${html(lineOf(request))}</summary>${body}</details>`;
}

function figure({ name, sale }: Sample): string {
  const picture = sale && (receiptPicture(sale.receipt) ?? '<p class="muted">The POS left out the text.</p>');
  const number = sale ? ` <small>${html(sale.receipt.invoiceNumber)}</small>` : "";
  return `<figure><figcaption>${html(name)}${number}</figcaption>${picture ?? '<p class="muted">not seen</p>'}</figure>`;
}
