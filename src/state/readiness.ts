/** Whether a sale would be signed now, and what is missing. It uses the same facts as status and console. */
import type { FiscalCode } from "../fiscal/codes.js";
import type { ServiceState } from "./service-state.js";

/** Codes of status with which the next sale is refused. */
const REFUSING: ReadonlySet<FiscalCode> = new Set(["1300", "1500", "2110", "2210", "2220", "2230", "2400"]);

type Looked = Pick<ServiceState, "codes" | "certificate" | "packagesFull" | "storeProblem" | "doubts" | "state">;

/** The codes that the next sale would get; empty if it would be signed. */
export function missingToSell({ codes, certificate, packagesFull, storeProblem, doubts, state }: Looked): FiscalCode[] {
  const uid = state.card === "ready" ? state.identity.uid : undefined;
  const inDoubt = doubts?.sales.some(({ entry }) => entry.uid === uid) ?? false;
  const ended = certificate?.state === "ended" || certificate?.state === "not-yet";
  return [
    ...codes.filter((code) => REFUSING.has(code)),
    // The card must first say what became of the sale in doubt.
    ...(inDoubt && !codes.includes("2220") ? (["2220"] as const) : []),
    ...(ended ? (["2809"] as const) : []),
    ...(packagesFull ? (["1100"] as const) : []),
    ...(storeProblem || !doubts || doubts.held > 0 ? (["1999"] as const) : []),
  ];
}
