/** Writes the report for people: one page that loads nothing else. Every text from the service is escaped. */
import { html, page } from "../../src/http/html.js";
import { exchangeText } from "../scenario/reports.js";
import { type Evidence, evidenceIn } from "./acceptance.js";
import { type AreaVerdict, byArea, type Case, together } from "./case.js";
import { countText } from "./reports.js";

export interface ReportAbout {
  readonly url: string;
  /** Time of the run, ISO 8601. */
  readonly at: string;
  /** Make, model and version, as the service reports them. */
  readonly service: string;
}

const STYLE = `
  a { color: inherit; }
  .verdict { display: inline-block; padding: 0 0.6rem; border-radius: 1rem; white-space: nowrap; }
  .conforms { color: var(--good); background: var(--good-soft); }
  .deviates { color: var(--bad); background: var(--bad-soft); }
  .not-tested { color: var(--muted); border: 1px solid var(--line); }
  td:first-child { white-space: nowrap; }
  .case { margin: 1rem 0; }
  .case p, dl { margin: 0.25rem 0; }
  .reason { color: var(--muted); }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
  dt { color: var(--muted); } dd { margin: 0; overflow-wrap: anywhere; font-family: ui-monospace, monospace; font-size: 0.9em; }
  @media (max-width: 40rem) { td:first-child { white-space: normal; } }
  @media print { pre { max-height: none; } }`;

export function htmlReport(cases: readonly Case[], { url, at, service }: ReportAbout): string {
  const areas = byArea(cases);
  const outcome = together(cases);
  const body = `<h1>Conformance of <code>${html(url)}</code></h1>
<p>${badge(outcome)} ${html(sentence(outcome, cases))}</p>
<p class="reason">${html(service)} · ${html(at)}</p>
<table><thead><tr><th>Area</th><th>Verdict</th><th>Cases</th></tr></thead><tbody>
${areas.map(areaRow).join("")}</tbody></table>
${areas.map(areaSection).join("")}
<h2 id="acceptance">Acceptance cases of one tax authority</h2>
<table><thead><tr><th>Case</th><th>Verdict</th><th>Evidence</th></tr></thead><tbody>
${evidenceIn(cases).map(evidenceRow).join("")}</tbody></table>`;
  return page(`Conformance of ${url}`, body, STYLE);
}

function sentence(outcome: Case["outcome"], cases: readonly Case[]): string {
  if (outcome === "not tested") return "Nothing could be tested, so this report proves nothing.";
  if (outcome === "conforms") return `Everything that was tested conforms: ${countText({ cases })}.`;
  return `The service deviates: ${countText({ cases })}.`;
}

function badge(outcome: Case["outcome"]): string {
  return `<span class="verdict ${outcome.replace(" ", "-")}">${outcome}</span>`;
}

const idOf = (area: string) => `area-${area.toLowerCase().replaceAll(" ", "-")}`;

function areaRow(verdict: AreaVerdict): string {
  const { area, outcome } = verdict;
  const name = verdict.cases.length === 0 ? html(area) : `<a href="#${idOf(area)}">${html(area)}</a>`;
  return `<tr><td>${name}</td><td>${badge(outcome)}</td><td>${html(countText(verdict))}</td></tr>\n`;
}

function areaSection({ area, cases }: AreaVerdict): string {
  return cases.length === 0 ? "" : `<h2 id="${idOf(area)}">${html(area)}</h2>\n${cases.map(caseSection).join("")}`;
}

function caseSection({ title, acceptance, outcome, deviations, notes = [], reason }: Case): string {
  const ids = acceptance.length === 0 ? "" : ` <small>${html(acceptance.join(", "))}</small>`;
  const remarks = [...(reason === undefined ? [] : [reason]), ...notes.map((note) => `Note: ${note}`)];
  const why = remarks.map((remark) => `<p class="reason">${html(remark)}</p>`).join("");
  const quoted = deviations.map(
    ({ path, expected, actual }) =>
      `<dl><dt>at</dt><dd>${html(path || "the whole answer")}</dd><dt>expected</dt><dd>${html(expected)}</dd><dt>was</dt><dd>${html(actual)}</dd></dl>`,
  );
  const exchange = deviations[0]?.exchange;
  const shown = exchange
    ? `<details><summary>The request and the answer</summary><pre>${html(exchangeText(exchange))}</pre></details>`
    : "";
  return `<div class="case"><p>${badge(outcome)} ${html(title)}${ids}</p>${why}${quoted.join("")}${shown}</div>\n`;
}

function evidenceRow({ id, about, outcome, evidence }: Evidence): string {
  return `<tr><td>${html(id)}</td><td>${badge(outcome)}</td><td>${html(about)}<br><span class="reason">${html(evidence)}</span></td></tr>\n`;
}
