/** Codes and their findings. */
import type { FindingCode, Part } from "../../state/finding.js";
import type { FindingKey } from "../../state/texts/english.js";

export type HelpRecord = readonly {
  readonly code: FindingCode;
  readonly findings: readonly FindingKey[];
  /** The part of the till that the first finding is about; undefined without findings. */
  readonly part: Part | undefined;
}[];
