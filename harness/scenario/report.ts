/** Writes rows for people, CI viewers, browsers and programs. Every form has the failed rows first. */
import { existsSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { jsonText, linesText } from "../../src/base/terminal-text.js";
import { messageOf } from "../../src/base/thrown.js";
import { ConfigError } from "../../src/config/config-error.js";
import { html, page } from "../../src/http/html.js";
import { type PrintedReceipt, receiptPicture } from "./receipt-picture.js";
import type { Outcome, Row, ShownExchange } from "./row.js";

export interface Report {
  readonly title: string;
  /** The newest refused invoice and its reason, which stands above the list. */
  readonly refused?: string | undefined;
  /** Sentences about the whole report, such as where the rows come from. */
  readonly about: readonly string[];
  readonly rows: readonly Row[];
  /** Name of the JUnit suite. Default: one suite for each id. */
  readonly suite?: string;
  /** Receipts to show, each with its name; undefined for a receipt that is missing. */
  readonly receipts?: readonly (readonly [name: string, receipt: PrintedReceipt | undefined])[];
}

/** Outcomes in the order of the summary, each with its plural. */
const PLURALS: Readonly<Record<Outcome, string>> = {
  passed: "passed",
  failed: "failed",
  "not seen": "not seen",
  "not applicable": "not applicable",
  "needs a person": "need a person",
};
/** All outcomes are equally wide, so that the lines below each other align. */
const WIDTH = Math.max(...Object.keys(PLURALS).map(({ length }) => length));

/** Writes the number of rows by outcome, such as `12 passed, 1 failed, 17 not seen, 12 need a person`. */
export function summary(rows: readonly Pick<Row, "outcome">[]): string {
  const parts = Object.entries(PLURALS).map(([word, plural]) => {
    const count = rows.filter(({ outcome }) => outcome === word).length;
    return count === 0 && word !== "passed" && word !== "failed" ? [] : [`${count} ${count === 1 ? word : plural}`];
  });
  return parts.flat().join(", ");
}

export function failedFirst(rows: readonly Row[]): Row[] {
  const isFailed = ({ outcome }: Row) => outcome === "failed";
  return [...rows.filter(isFailed), ...rows.filter((row) => !isFailed(row))];
}

/** Writes a row with what there is to do about it. */
export function rowText(row: Row): string {
  const details = row.outcome === "passed" ? [row.why.note ?? []].flat() : detailsOf(row);
  return linesText([
    `${row.outcome.padEnd(WIDTH)}  ${row.id}: ${row.text}`,
    ...details.map((line) => (line === "" ? "" : `      ${line}`)),
  ]);
}

function detailsOf({ why, exchange, outcome }: Row): string[] {
  const reasons = Object.entries(why).filter(([name]) => name !== "source");
  const shown = outcome === "failed" ? exchange.map((one) => one.text ?? titleOf(one)) : [];
  return [...reasons.map(([name, text]) => `${name}: ${text}`), ...shown].flatMap((text) => text.split("\n"));
}

const titleOf = ({ id, line }: ShownExchange): string => (id === undefined ? line : `request ${id}: ${line}`);

/** What stands above the list. */
export const aboveOf = ({ refused }: Report): string[] => (refused === undefined ? [] : [`refused: ${refused}`]);

export function textReport(report: Report): string {
  const { rows, about } = report;
  return [
    ...aboveOf(report).map((line) => linesText([line, ""])),
    ...failedFirst(rows).map(rowText),
    linesText(["", summary(rows), ...about]),
  ].join("");
}

export function jsonReport({ title, about, rows, refused }: Report): string {
  return jsonText({ title, refused, about, summary: summary(rows), rows: failedFirst(rows) });
}

/** Writes JUnit XML. Only a row that was judged can count as passed; every other row is skipped. */
export function junitReport(report: Report): string {
  const { rows, suite } = report;
  const said = aboveOf(report).map(
    (line) => `    <properties><property name="about" value="${xml(line)}"/></properties>\n`,
  );
  const nameOf = ({ id }: Row) => suite ?? id;
  const suites = [...new Set(failedFirst(rows).map(nameOf))].map((name, i) => {
    const above = i === 0 ? said.join("") : "";
    const own = failedFirst(rows.filter((row) => nameOf(row) === name));
    const count = (isCounted: (outcome: Outcome) => boolean) => own.filter(({ outcome }) => isCounted(outcome)).length;
    const skipped = count((outcome) => outcome !== "passed" && outcome !== "failed");
    const attributes = `name="${xml(name)}" tests="${own.length}" failures="${count((outcome) => outcome === "failed")}" skipped="${skipped}"`;
    return `  <testsuite ${attributes} time="${seconds(own)}">\n${above}${own.map((row) => caseXml(row, suite)).join("")}  </testsuite>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites time="${seconds(rows)}">\n${suites.join("")}</testsuites>\n`;
}

function caseXml(row: Row, suite: string | undefined): string {
  const { id, text, outcome, why } = row;
  const name = suite === undefined ? text : `${id}: ${text}`;
  const open = `    <testcase classname="${xml(suite ?? id)}" name="${xml(name)}" time="${seconds([row])}"`;
  if (outcome === "passed") return `${open}/>\n`;
  const message = why.wrong ?? [outcome, why.reason ?? why["to do"] ?? []].flat().join(": ");
  const result = outcome === "failed" ? "failure" : "skipped";
  const details = xml(detailsOf(row).join("\n"));
  return `${open}>\n      <${result} message="${xml(message.split("\n")[0] ?? "")}">${details}</${result}>\n    </testcase>\n`;
}

function seconds(rows: readonly Row[]): string {
  return (rows.reduce((sum, { ms = 0 }) => sum + ms, 0) / 1000).toFixed(3);
}

/** Escapes a text, and replaces the characters that XML 1.0 does not allow, not even escaped. */
function xml(text: string): string {
  return html(text.replace(/[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd"));
}

const STYLE = `
  .outcome { display: inline-block; padding: 0 0.6rem; border-radius: 1rem; white-space: nowrap; border: 1px solid var(--line); }
  .passed { color: var(--good); background: var(--good-soft); }
  .failed { color: var(--bad); background: var(--bad-soft); }
  main { overflow-wrap: anywhere; }
  section { border-top: 1px solid var(--line); padding: 0.4rem 0; }
  section p { margin: 0; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; margin: 0.25rem 0; }
  dt { color: var(--muted); } dd { margin: 0; white-space: pre-wrap; }
  .receipts { display: flex; flex-wrap: wrap; gap: 1rem; }
  figure { margin: 0; max-width: 100%; } figcaption { font-weight: 600; } svg { max-width: 100%; height: auto; border: 1px solid var(--line); }`;

/** Writes one page that loads nothing else. Every text of a POS or a service is escaped. */
export function htmlReport(report: Report): string {
  const { title, about, rows, receipts = [] } = report;
  const pictures = receipts.map(
    ([name, receipt]) =>
      `<figure><figcaption>${html(name)}</figcaption>${(receipt && receiptPicture(receipt)) ?? "<p>not seen</p>"}</figure>\n`,
  );
  const body = `<h1>${html(title)}</h1>
<p>${html(summary(rows))}</p>
${[...about, ...aboveOf(report)].map((sentence) => `<p>${html(sentence)}</p>\n`).join("")}${failedFirst(rows).map(rowHtml).join("")}
${pictures.length === 0 ? "" : `<h2>Receipts</h2>\n<div class="receipts">${pictures.join("")}</div>`}`;
  return page(title, body, STYLE);
}

function rowHtml({ id, text, outcome, why, exchange }: Row): string {
  const reasons = Object.entries(why).map(([name, reason]) => `<dt>${name}</dt><dd>${html(reason)}</dd>`);
  const shown = exchange.map((one) => {
    const more = one.text === undefined ? "" : `<pre>${html(one.text)}</pre>`;
    return `<details><summary>${html(titleOf(one))}</summary>${more}</details>`;
  });
  return `<section><p><span class="outcome ${outcome}">${outcome}</span> <b>${html(id)}</b> ${html(text)}</p>
<dl>${reasons.join("")}</dl>${shown.join("")}</section>\n`;
}

/** For each form of a report, the function that writes it. */
export const REPORTS = { pretty: textReport, junit: junitReport, json: jsonReport, html: htmlReport } as const;
export type Reporter = keyof typeof REPORTS;

/**
 * Writes a report. A command first writes an empty one: then a file that cannot be written is found at the start, and
 * nobody takes the report of an earlier run for the report of this run.
 * @param flag the flag that names the file @throws ConfigError if the file cannot be written
 */
export function writeReport(flag: string, file: string, report = ""): void {
  try {
    writeFileSync(file, report);
  } catch (error) {
    const folder = dirname(file);
    const problem = existsSync(folder) ? messageOf(error) : `there is no folder ${folder}; make it first`;
    throw new ConfigError(`${flag} ${file} cannot be written: ${problem}`);
  }
}
