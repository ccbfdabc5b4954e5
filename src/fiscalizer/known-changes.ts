/** Removes from a commit the changes that the ledger already has. */
import type { Change, Ledger, NewReport, Report } from "../ledger/ledger.js";
import { hex } from "./card-answer.js";

/**
 * Leaves out receipts that the ledger already has: a card whose counter went back may later have its old counter again.
 * Also leaves out a report of unproven bytes while such a report is open, because the card may repeat these bytes in
 * every session.
 * @throws LedgerError
 */
export async function withoutKnownChanges(ledger: Ledger, changes: readonly Change[]): Promise<readonly Change[]> {
  // The changes of a normal sale need no look-up.
  if (!changes.some(({ kind: change }) => change === "adopt" || change === "report")) return changes;
  const isKnown = async (change: Change) => {
    if (change.kind === "report") return (await ledger.reports()).some((open) => isWaiting(open, change.report));
    if (change.kind !== "adopt") return false;
    const { number, signature } = change.receipt;
    const entries = await ledger.byNumber(number);
    return entries.some((entry) => entry.signature && hex(entry.signature) === hex(signature));
  };
  const known = await Promise.all(changes.map(isKnown));
  return changes.filter((_, i) => !known[i]);
}

function isWaiting(open: Report, { uid, kind, from }: NewReport): boolean {
  return kind === "unproven" && from === null && open.uid === uid && open.kind === kind && open.from === null;
}
