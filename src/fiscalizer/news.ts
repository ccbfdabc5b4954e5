/** What of a commit the ledger does not know yet. */
import type { Change, Ledger, NewReport, Report } from "../ledger/ledger.js";
import { hex } from "./card-answer.js";

/**
 * Without the receipts that the ledger has already, as of a card that comes back whose counter was thought to be gone,
 * and without a report of bytes that nothing proves where one waits already: the card may give them in every session.
 * @throws LedgerError
 */
export async function news(ledger: Ledger, changes: readonly Change[]): Promise<readonly Change[]> {
  // Not so with a sale, where nothing is looked up.
  if (!changes.some(({ change }) => change === "adopt" || change === "report")) return changes;
  const isKnown = async (change: Change) => {
    if (change.change === "report") return (await ledger.reports()).some((open) => isWaiting(open, change.report));
    if (change.change !== "adopt") return false;
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
