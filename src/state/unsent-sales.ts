/**
 * Finds the sales of every card in the store that the authority does not have yet, and the packages that it found
 * wrong.
 */
import type { EpochMs } from "../base/epoch-ms.js";
import { toIso } from "../fiscal/time.js";
import { type AuditLedger, REPEATED_STATUSES } from "../ledger/audit-ledger.js";
import { contentOf } from "../ledger/receipt-content.js";
import type { Facts } from "./facts.js";

export type AuditReading = Pick<AuditLedger, "cards" | "progress" | "nextSale" | "unverified" | "missed">;

/** Maximum number of packages that are read for each card. */
const MOST = 200;

/** Reads the sales and packages of every card. @throws LedgerError */
export async function unsentSales(
  audits: AuditReading,
): Promise<Pick<Facts, "oldestUnsent" | "wrongPackages" | "missingSales">> {
  const times: number[] = [];
  const wrongPackages: Facts["wrongPackages"][number][] = [];
  for (const uid of await audits.cards()) {
    const { sentTo, provenTo, onStick, refused } = await audits.progress(uid);
    const waiting = refused.find(({ entry }) => entry > Math.max(provenTo, onStick));
    // A refused package is older than packages that were never sent.
    const after = waiting ? waiting.entry - 1 : Math.max(sentTo, onStick);
    const oldest = await audits.nextSale(uid, after);
    // The time is undefined if the intent is damaged.
    const time = oldest && contentOf({ intent: oldest.intent, answer: null })?.time;
    if (time !== undefined) times.push(time);
    const unverified = await audits.unverified(uid, MOST);
    wrongPackages.push(...unverified.filter(({ status }) => !REPEATED_STATUSES.includes(status ?? -1)));
  }
  return {
    oldestUnsent: times.length > 0 ? Math.min(...times) : undefined,
    wrongPackages,
    missingSales: await audits.missed(),
  };
}

/** The sentence of doctor and uninstaller about unsent receipts. */
export function unsentText(oldest: EpochMs): string {
  return `receipts since ${toIso(oldest)} have not reached the tax authority, and are on no stick`;
}
