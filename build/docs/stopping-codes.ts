/** What a shop does about each code: the texts of the findings, for three pages. */
import { describeCode, FISCAL_CODES, type FiscalCode } from "../../src/fiscal/codes.js";
import type { FindingCode } from "../../src/state/finding.js";
import { type Definition, FINDING_KEYS, FINDINGS } from "../../src/state/findings.js";
import { isOwn } from "../../src/state/status-codes.js";
import type { FindingKey } from "../../src/state/texts/english.js";
import { inEnglish } from "../../src/state/texts.js";
import { ACTION_OF, ACTIONS, type StoppingCode } from "./client-codes.js";

/** Sections with more about a code. Links are those of a page in docs/. */
const SECTIONS: Readonly<Partial<Record<FindingCode, string>>> = {
  "1100": "[When too many sales wait](tax-authority.md#when-too-many-sales-wait)",
  "2210": "[How to leave 2210](tax-authority.md#how-to-leave-2210)",
  "2400": "[Tax rates](shop.md#tax-rates)",
  "2809": "[The clock](tax-authority.md#the-clock)",
  "9003": "[A sale in doubt](tax-authority.md#a-sale-in-doubt)",
  "9019": "[Changes of rates and addresses](tax-authority.md#changes-of-rates-and-addresses)",
  "9020": "[Sales that this store does not have](tax-authority.md#sales-that-this-store-does-not-have)",
};

/** What happened, and what to do. The name of a value stands where the value will be. */
function texts(key: FindingKey): [happened: string, todo: string] {
  const { code } = FINDINGS[key];
  const { sentence, advice } = inEnglish({ key, values: {} });
  const shown = (text: string) => text.replaceAll(/\{(\w+)\}/g, "*$1*");
  const section = SECTIONS[code];
  return [shown(sentence), section === undefined ? shown(advice) : `${shown(advice)} ${section}`];
}

/** A refused PIN is the answer to one request and no state of the till, so it is no finding. */
const WRONG_PIN = [
  "`2100`",
  `${describeCode("2100").meaning}.`,
  "Enter the right PIN. Each wrong one costs an attempt.",
];

const stopping = FINDING_KEYS.flatMap((key) => {
  const { refusal } = FINDINGS[key];
  return refusal === undefined ? [] : [[`\`${refusal}\``, ...texts(key)]];
});

/** Code, what happened, what a shop does. */
export const SHOP_ROWS = [...stopping, WRONG_PIN].toSorted(([a = ""], [b = ""]) => a.localeCompare(b));

/** Code, what a POS does. */
export const STOP_ROWS = FISCAL_CODES.toSorted()
  .filter(isStop)
  .map((code) => [`\`${code}\``, ACTIONS[ACTION_OF[code]]]);

function isStop(code: FiscalCode): code is StoppingCode {
  const action = ACTION_OF[code];
  return action !== "none" && action !== "correct" && code !== "1400";
}

/** Each code that stops sales has one row, which leads to the table of what a sale gets. */
const ownRows = (isMeant: (definition: Definition) => boolean) =>
  FINDING_KEYS.filter((key) => isOwn(FINDINGS[key].code) && isMeant(FINDINGS[key]))
    .filter((key, i, keys) => {
      const { code, refusal } = FINDINGS[key];
      return refusal === undefined || keys.findIndex((other) => FINDINGS[other].code === code) === i;
    })
    .map((key) => {
      const { code, quiet, refusal } = FINDINGS[key];
      if (refusal)
        return [code, "Sales stop.", `[When the till stops](shop.md#when-the-till-stops), under ${refusal}.`];
      return [quiet ? `${code} \\*` : code, ...texts(key)];
    })
    .toSorted(([a = ""], [b = ""]) => a.localeCompare(b));

/** Code, what happened, what a shop does before it confirms the report. */
export const REPORT_ROWS = ownRows(({ affects }) => affects === "reports");

/** The other codes of our own. Code, what happened, what a shop does. */
export const OWN_ROWS = ownRows(({ affects }) => affects !== "reports");
