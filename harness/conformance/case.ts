/** The cases of the suite and their outcomes. */
import type { Difference } from "../scenario/match.js";
import type { Exchange } from "../scenario/play.js";
import { shownExchange } from "../scenario/played-row.js";
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

export interface Case {
  readonly area: Area;
  readonly title: string;
  /** Acceptance cases of one tax authority, such as STATE-014. */
  readonly acceptance: readonly string[];
  readonly outcome: Outcome;
  readonly deviations: readonly Deviation[];
  /** Differences that are not mistakes of the service. */
  readonly notes?: readonly string[];
  readonly reason?: string;
  readonly ms: number;
}

/** Error of a case that the service, the PIN or the flags do not allow. The case neither passes nor fails. */
export { NotApplicable as NotTested } from "../scenario/stage.js";

function deviationText({ path, expected, actual }: Deviation): string {
  return `${path || "the answer"}: expected ${expected}, but was ${actual}`;
}

export function rowOf({ area, title, acceptance, outcome, deviations, notes = [], reason, ms }: Case): Row {
  const exchange = deviations[0]?.exchange;
  return {
    id: area,
    text: acceptance.length === 0 ? title : `${title} (${acceptance.join(", ")})`,
    outcome,
    why: {
      ...(deviations.length === 0 ? {} : { wrong: deviations.map(deviationText).join("\n") }),
      ...(notes.length === 0 ? {} : { note: notes.join("\n") }),
      ...(reason === undefined ? {} : { reason }),
    },
    exchange: exchange ? [shownExchange(exchange)] : [],
    ms,
  };
}

/** The outcome of several cases. They pass if at least one was tested and none fails. */
export function together(cases: readonly Pick<Case, "outcome">[]): Outcome {
  if (cases.some(({ outcome }) => outcome === "failed")) return "failed";
  return cases.some(({ outcome }) => outcome === "passed") ? "passed" : "not applicable";
}
