/** Sales that the authority does not have yet, and packages that it found wrong, of every card in the store. */
import { toIso } from "../fiscal/time.js";
import { type AuditLedger, REPEATED_STATUSES } from "../ledger/audit-ledger.js";
import { contentOf } from "../ledger/receipt-content.js";
import type { Facts } from "./facts.js";

export type AuditReading = Pick<AuditLedger, "cards" | "progress" | "nextSale" | "unverified" | "missing">;

/** Packages that are read of each card. */
const MOST = 200;

/** @throws LedgerError */
export async function unsentSales(
  audits: AuditReading,
): Promise<Pick<Facts, "oldestUnsent" | "wrongPackages" | "missingSales">> {
  const times: number[] = [];
  const wrongPackages: Facts["wrongPackages"][number][] = [];
  for (const uid of await audits.cards()) {
    const { sentTo, provenTo, onStick, refused } = await audits.progress(uid);
    const waiting = refused.find(({ entry }) => entry > Math.max(provenTo, onStick));
    // A refused package is older than those that were never sent.
    const after = waiting ? waiting.entry - 1 : Math.max(sentTo, onStick);
    const oldest = await audits.nextSale(uid, after);
    // Undefined if the intent is damaged.
    const time = oldest && contentOf({ intent: oldest.intent, answer: null })?.time;
    if (time !== undefined) times.push(time);
    const unverified = await audits.unverified(uid, MOST);
    wrongPackages.push(...unverified.filter(({ status }) => !REPEATED_STATUSES.includes(status ?? -1)));
  }
  return {
    oldestUnsent: times.length > 0 ? Math.min(...times) : undefined,
    wrongPackages,
    missingSales: await audits.missing(),
  };
}

/** For doctor and uninstaller. @param oldest ms since the epoch */
export function unsentText(oldest: number): string {
  return `receipts since ${toIso(oldest)} have not reached the tax authority, and are on no stick`;
}
