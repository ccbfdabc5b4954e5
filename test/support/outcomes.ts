/** The outcome of each area of a conformance run. */
import { type Area, together } from "../../harness/conformance/case.js";
import type { Outcome, Row } from "../../harness/scenario/row.js";

export function outcomesOf(cases: readonly Row[]): Partial<Record<Area, Outcome>> {
  const areas = new Set(cases.map(({ id }) => id));
  return Object.fromEntries([...areas].map((area) => [area, together(cases.filter((one) => one.id === area))]));
}
