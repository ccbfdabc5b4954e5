/** Codes and their findings. */
import type { FindingCode } from "../../state/finding.js";
import type { FindingKey } from "../../state/texts/english.js";

export type HelpRecord = readonly {
  readonly code: FindingCode;
  readonly findings: readonly FindingKey[];
}[];
