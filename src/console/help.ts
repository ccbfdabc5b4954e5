/** Makes the list of the codes that the console explains, each with its findings. */
import { FISCAL_CODES } from "../fiscal/codes.js";
import type { FindingCode } from "../state/finding.js";
import { FINDING_KEYS, FINDINGS } from "../state/findings.js";
import type { HelpRecord } from "./records/help.js";

/**
 * Returns the codes in ascending order. A finding is listed at its own code and at the code that the next sale would
 * get.
 */
export function helpRecord(): HelpRecord {
  const own = FINDING_KEYS.map((key) => FINDINGS[key].code);
  const codes = [...new Set<FindingCode>([...FISCAL_CODES, ...own])].toSorted();
  return codes.map((code) => ({
    code,
    findings: FINDING_KEYS.filter((key) => [FINDINGS[key].code, FINDINGS[key].refusal].includes(code)),
  }));
}
