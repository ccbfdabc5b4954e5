/** Writes the suite's results for the terminal and for CI. */
import { linesText, tableLines, VERDICT_WORDS } from "../../src/base/terminal-text.js";
import { junit } from "../scenario/junit.js";
import { differenceLines, exchangeText } from "../scenario/reports.js";
import { type AreaVerdict, byArea, type Case } from "./case.js";

const WORDS = {
  conforms: VERDICT_WORDS.ok,
  deviates: VERDICT_WORDS.fail,
  "not tested": VERDICT_WORDS.notApplicable,
} as const;

/** Writes a case with its notes and deviations. Control characters in the service's texts are escaped. */
export function caseLines({ area, title, outcome, deviations, notes = [], reason }: Case): string {
  const lines = [
    `${WORDS[outcome]}  ${area}: ${title}`,
    ...(reason === undefined ? [] : [`      ${reason}`]),
    ...notes.map((note) => `      ${VERDICT_WORDS.note}: ${note}`),
    ...deviations.flatMap(differenceLines).map((line) => `    ${line}`),
  ];
  return linesText(lines);
}

export function summaryText(cases: readonly Case[]): string {
  const rows = byArea(cases).map((verdict) => [WORDS[verdict.outcome], verdict.area, countText(verdict)]);
  return linesText(tableLines(rows));
}

export function countText({ cases }: Pick<AreaVerdict, "cases">): string {
  const count = (outcome: Case["outcome"]) => cases.filter((one) => one.outcome === outcome).length;
  const parts = [
    [count("conforms"), "conform"],
    [count("deviates"), "deviate"],
    [count("not tested"), "not tested"],
  ] as const;
  return parts.flatMap(([number, word]) => (number === 0 ? [] : `${number} ${word}`)).join(", ") || "no case";
}

/** Writes JUnit XML with one suite for each area. */
export function junitText(cases: readonly Case[]): string {
  return junit(
    byArea(cases)
      .filter((verdict) => verdict.cases.length > 0)
      .map((verdict) => ({ name: verdict.area, cases: verdict.cases.map(junitCase) })),
  );
}

function junitCase({ title, acceptance, deviations, reason, ms }: Case) {
  const [first] = deviations;
  const name = acceptance.length === 0 ? title : `${title} (${acceptance.join(", ")})`;
  const text = [...deviations.flatMap(differenceLines), ...(first?.exchange ? [exchangeText(first.exchange)] : [])];
  const message = first && `${first.path || "the answer"}: expected ${first.expected}, but was ${first.actual}`;
  return {
    name,
    ms,
    ...(message === undefined ? {} : { failure: { message, text: text.join("\n") } }),
    ...(reason === undefined ? {} : { skipped: reason }),
  };
}
