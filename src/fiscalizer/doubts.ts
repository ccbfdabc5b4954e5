/** Lists what needs a person's attention: sales in doubt and how to settle them, unwritten signatures, and reports. */
import type { Entry, Report } from "../ledger/ledger.js";
import type { SecureElementState } from "../secure-element/secure-element.js";
import type { State } from "./protocol/state.js";
import type { WayOut } from "./way-out.js";

export interface SaleInDoubt {
  readonly entry: Entry;
  readonly wayOut: WayOut;
}

export interface Doubts {
  /** Sales that a card may have signed, of every card; the oldest comes first. */
  readonly sales: readonly SaleInDoubt[];
  /** Number of signatures that could not be written yet and are in memory only. */
  readonly unwritten: number;
  /** Reports that are not confirmed yet. */
  readonly reports: readonly Report[];
}

export function wayOut(uid: string, { card }: State, element: SecureElementState): WayOut {
  if (element.kind !== "ready" || element.identity.uid !== uid) return "card";
  if (element.pin === "locked") return "person";
  if (element.pin === "required" || card?.uid !== uid || card.session !== element.session) return "pin";
  return WAYS_OUT[card.lastInvoiceCommand ?? "works"];
}

/**
 * How to settle a sale after a right PIN. `works` leads to `pin`: if the card has the command and a sale is still in
 * doubt, the exchange was disturbed, so a person verifies the PIN again.
 */
const WAYS_OUT = { works: "pin", missing: "training", odd: "person" } as const;

/**
 * Returns ids of the open entries that need no person: the sale at work, and sales whose outcome is not written yet.
 */
export function settledSoon({ doing, unwritten }: State): readonly number[] {
  const ofUnwritten = unwritten.flatMap((write) => ("id" in write ? [write.id] : []));
  return "open" in doing ? [doing.open.id, ...ofUnwritten] : ofUnwritten;
}
