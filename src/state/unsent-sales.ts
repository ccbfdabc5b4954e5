/**
 * Finds the sales of every card in the store that the authority does not have yet, and the packages that it found
 * wrong.
 */
import { count } from "../base/count.js";
import type { EpochMs } from "../base/epoch-ms.js";
import { toIso } from "../fiscal/time.js";
import { type AuditLedger, type NotReached, REPEATED_STATUSES } from "../ledger/audit-ledger.js";
import { contentOf } from "../ledger/receipt-content.js";
import { countersText, shortened } from "./conditions.js";
import type { Facts } from "./facts.js";

export type AuditReading = Pick<
  AuditLedger,
  "cards" | "progress" | "nextSale" | "unverified" | "missed" | "signedAt" | "notReached"
>;

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
    const unverified = await audits.unverified(uid, MOST);
    const leftOut = unverified.filter(({ status }) => status === null);
    const unsent = [
      await timeOfOldest(audits, uid, after),
      ...(await Promise.all(leftOut.map(({ entry }) => audits.signedAt(entry)))),
    ];
    times.push(...unsent.filter((time) => time !== undefined));
    wrongPackages.push(...unverified.filter(({ status }) => !REPEATED_STATUSES.includes(status ?? -1)));
  }
  return {
    oldestUnsent: times.length > 0 ? Math.min(...times) : undefined,
    wrongPackages,
    missingSales: await audits.missed(),
  };
}

/** Time of a card's oldest complete sale after an entry, of which a time can be read. */
async function timeOfOldest(audits: AuditReading, uid: string, after: number): Promise<EpochMs | undefined> {
  let entry = await audits.nextSale(uid, after);
  for (let tried = 0; entry && tried < MOST; tried++) {
    const time = entry.intact ? contentOf(entry)?.time : await audits.signedAt(entry.id);
    if (time !== undefined) return time;
    entry = await audits.nextSale(uid, entry.id);
  }
  return undefined;
}

/**
 * What doctor and uninstaller say about receipts that may not have reached the authority.
 * @returns undefined if the store knows of none
 */
export function unsentText(unsent: NotReached): string | undefined {
  const { waiting, oldest, damaged, inDoubt, missing, unsigned, restored } = unsent;
  const lacking = missing.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const total = waiting + damaged.length + inDoubt + lacking + unsigned.length;
  const times = oldest.flatMap((entry) => contentOf(entry)?.time ?? []);
  const since = times.length > 0 ? ` since ${toIso(Math.min(...times))}` : "";
  const parts = [
    [waiting, `not sent${since}, and not exported to a stick`],
    [damaged.length, `damaged (${shortened(damaged.map(({ number, id }) => number ?? `entry ${id}`))})`],
    [lacking, `missing in this store (counters ${countersText(missing)})`],
    [unsigned.length, `without a signature (counters ${shortened(unsigned.map((one) => `${one ?? "unknown"}`))})`],
    [inDoubt, "in doubt, being signed, or not saved yet"],
  ] as const;
  const counted = parts.flatMap(([number, text]) => (number > 0 ? [`${number} ${text}`] : []));
  const notAsked = `the store was restored, and has not been compared with the card ${restored.join(", ")} since`;
  const sentences = [
    ...(total > 0 ? [`${count(total, "receipt")} may not have reached the tax authority: ${counted.join(", ")}`] : []),
    ...(restored.length > 0 ? [`it is not known whether there are more receipts: ${notAsked}`] : []),
  ];
  return sentences.length > 0 ? sentences.join("; ") : undefined;
}
