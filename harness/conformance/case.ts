/** The cases of the suite and their outcomes. */
import type { Difference } from "../../emulator/faults/match.js";
import type { Exchange } from "../scenario/play.js";
import type { Outcome, Row } from "../scenario/row.js";

/** The areas in the order of the report. */
export const AREAS = [
  "Service",
  "PIN",
  "Answer",
  "Taxes",
  "Counters",
  "Verification URL",
  "Signature",
  "Journal",
  "QR code",
  "Refusals",
  "Recovery",
  "Languages",
  "Card",
] as const;
export type Area = (typeof AREAS)[number];

export interface Deviation extends Difference {
  /** The exchange that shows the deviation; PINs are masked. */
  readonly exchange?: Exchange;
}

export function deviationText({ path, expected, actual }: Deviation): string {
  return `${path || "the answer"}: expected ${expected}, but was ${actual}`;
}

/** The outcome of several cases. They pass if at least one was tested and none fails. */
export function together(cases: readonly Pick<Row, "outcome">[]): Outcome {
  if (cases.some(({ outcome }) => outcome === "failed")) return "failed";
  return cases.some(({ outcome }) => outcome === "passed") ? "passed" : "not applicable";
}
