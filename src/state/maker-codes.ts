/** The maker's own codes in `mssc` of status (specification, "Status record"); 1999 in `gsc` points to them. */

import type { Doubts } from "../fiscalizer/doubts.js";
import type { StoreProblem } from "../fiscalizer/store-health.js";
import type { CertificateState } from "./rules.js";
import type { ClockCheck } from "./time-watch.js";

export const MAKER_CODES = {
  lost: { code: "9001", meaning: "the card counted a sale, but its signature is lost" },
  testCard: { code: "9002", meaning: "a shop runs with a test card: its receipts are not valid" },
  inDoubt: { code: "9003", meaning: "the card may have signed a sale; we do not know yet" },
  behind: { code: "9004", meaning: "the card has counted invoices that this store does not have" },
  back: { code: "9005", meaning: "the card's counter went back" },
  unproven: { code: "9006", meaning: "the card signed a sale, but its signature is damaged" },
  held: { code: "9007", meaning: "a signed sale is in memory only, until it can be written" },
  storeRefuses: {
    code: "9008",
    meaning: "the store cannot be written or read, for example because the disk is full: nothing can be sold",
  },
  clockOff: { code: "9009", meaning: "the clock differs from the time server by more than the setting clockDrift" },
  swapped: { code: "9010", meaning: "another card has the same number as the one before" },
  certificateEnds: { code: "9011", meaning: "the card's certificate ends within 30 days: ask for a new card" },
  diskLow: { code: "9012", meaning: "the disk of the data folder is nearly full: free some space soon" },
} as const;

/** The part of the service's state that these codes are about. */
export interface MakerFindings {
  /** Undefined if the ledger cannot be read. */
  readonly doubts: Doubts | undefined;
  /** Whether a shop runs with a test card, whose receipts are not valid. */
  readonly testCard: boolean;
  /** Undefined if the store can be written. */
  readonly storeProblem: StoreProblem | undefined;
  readonly clockCheck: ClockCheck | undefined;
  /** Of the card in the reader. */
  readonly certificate: CertificateState | undefined;
  /** Whether a shop's disk is nearly full. A full disk stops the sales. */
  readonly diskLow: boolean;
}

type Name = keyof typeof MAKER_CODES;

/** The codes that apply now. */
export function makerCodes(findings: MakerFindings): string[] {
  const { doubts, testCard, storeProblem, clockCheck, certificate, diskLow } = findings;
  const reported = doubts?.reports.flatMap(({ kind }): Name[] => (kind === "decided" ? [] : [kind])) ?? [];
  const holding = new Set<Name>([
    ...reported,
    ...(testCard ? (["testCard"] as const) : []),
    ...(doubts && doubts.sales.length > 0 ? (["inDoubt"] as const) : []),
    ...(doubts && doubts.held > 0 ? (["held"] as const) : []),
    ...(storeProblem || !doubts ? (["storeRefuses"] as const) : []),
    ...(clockCheck?.off ? (["clockOff"] as const) : []),
    ...(certificate?.state === "ends-soon" ? (["certificateEnds"] as const) : []),
    ...(diskLow ? (["diskLow"] as const) : []),
  ]);
  const names = Object.keys(MAKER_CODES) as Name[];
  return names.filter((name) => holding.has(name)).map((name) => MAKER_CODES[name].code);
}
