/** The outcome of each area of a conformance run. */
import { type Area, type Case, together } from "../../harness/conformance/case.js";

export function outcomesOf(cases: readonly Case[]): Partial<Record<Area, Case["outcome"]>> {
  const areas = new Set(cases.map(({ area }) => area));
  return Object.fromEntries([...areas].map((area) => [area, together(cases.filter((one) => one.area === area))]));
}
