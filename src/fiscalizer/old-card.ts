/** A new card may have to wait until the sales of the old card are proven (docs/decisions/0034-new-card.md). */
import type { AuditLedger } from "../ledger/audit-ledger.js";
import type { CardIdentity } from "../secure-element/secure-element.js";
import { FiscalError } from "./fiscal-error.js";

/** A card that was used before, with the number of its sales that have no proof of audit. */
export interface OldCard {
  readonly uid: string;
  readonly sales: number;
}

/** @returns a card to audit before the new card may sell; undefined if the new card may sell @throws LedgerError */
export async function oldCardToProve(
  audits: Pick<AuditLedger, "cards" | "unsent">,
  { uid }: Pick<CardIdentity, "uid">,
  newCard: "sells" | "waits",
): Promise<OldCard | undefined> {
  if (newCard === "sells") return undefined;
  for (const other of await audits.cards()) {
    const sales = other === uid ? 0 : await audits.unsent(other);
    if (sales > 0) return { uid: other, sales };
  }
  return undefined;
}

/** Returns the refusal of a sale with the new card, because sales of the old card have no proof of audit. */
export function oldCardUnproven({ uid, sales }: OldCard): FiscalError {
  const advice = `let the tax authority audit it: put it into the reader, or run tillseal audit export --uid ${uid}`;
  return FiscalError.of("1100", "", `${sales} sales of the card ${uid} have no proof of audit: ${advice}`);
}
