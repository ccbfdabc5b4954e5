/** Makes the list of the codes that the console explains, each with its findings. */
import { FISCAL_CODES } from "../fiscal/codes.js";
import type { FindingCode } from "../state/finding.js";
import { type Definition, FINDING_KEYS, FINDINGS } from "../state/findings.js";
import type { HelpRecord } from "./records/help.js";

/**
 * Returns the codes in ascending order. A finding is listed at its own code and at the code that the next sale would
 * get.
 */
export function helpRecord(): HelpRecord {
  const rows = FINDING_KEYS.map((key) => ({ key, definition: FINDINGS[key] }));
  const own = rows.map(({ definition }) => definition.code);
  const codes = [...new Set<FindingCode>([...FISCAL_CODES, ...own])].toSorted();
  return codes.map((code) => {
    const found = rows.filter(({ definition }) => codesOf(definition).includes(code));
    return { code, findings: found.map(({ key }) => key), part: found[0]?.definition.affects };
  });
}

function codesOf({ code, refusal }: Definition): readonly FindingCode[] {
  return refusal === undefined ? [code] : [code, refusal];
}
