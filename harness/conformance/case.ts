/** The cases of the suite and their outcomes. */
import type { Difference } from "../scenario/match.js";
import type { Exchange } from "../scenario/play.js";

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
  readonly outcome: "conforms" | "deviates" | "not tested";
  readonly deviations: readonly Deviation[];
  /** Differences that are not mistakes of the service. */
  readonly notes?: readonly string[];
  /** Why the case was not tested. */
  readonly reason?: string;
  readonly ms: number;
}

/** Error of a case that the service, the PIN or the flags do not allow. The case neither conforms nor deviates. */
export class NotTested extends Error {
  override readonly name = "NotTested";
}

export interface AreaVerdict {
  readonly area: Area;
  readonly cases: readonly Case[];
  readonly outcome: Case["outcome"];
}

/** Groups the cases by area. An area conforms if at least one of its cases was tested and no case deviates. */
export function byArea(cases: readonly Case[]): AreaVerdict[] {
  return AREAS.map((area) => {
    const own = cases.filter((one) => one.area === area);
    return { area, cases: own, outcome: together(own) };
  });
}

export function together(cases: readonly Case[]): Case["outcome"] {
  if (cases.some(({ outcome }) => outcome === "deviates")) return "deviates";
  return cases.some(({ outcome }) => outcome === "conforms") ? "conforms" : "not tested";
}
