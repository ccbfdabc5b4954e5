/** Codes and their findings. This file has only types, because the console's code imports it too. */
import type { FindingCode } from "../../state/finding.js";
import type { FindingKey } from "../../state/texts/english.js";

export type HelpRecord = readonly {
  readonly code: FindingCode;
  readonly findings: readonly FindingKey[];
}[];
