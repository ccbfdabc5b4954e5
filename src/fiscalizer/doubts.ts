/** What a person should know of the sales: which are in doubt and how each can be settled, what is held, what is reported. */
import type { Entry, Report } from "../ledger/ledger.js";
import type { SecureElementState } from "../secure-element/secure-element.js";
import type { State } from "./protocol/state.js";
import type { WayOut } from "./way-out.js";

export interface SaleInDoubt {
  readonly entry: Entry;
  readonly wayOut: WayOut;
}

export interface Doubts {
  /** The card may have signed them; of every card, oldest first. */
  readonly sales: readonly SaleInDoubt[];
  /** Signatures that the ledger could not take, and that are in memory only. */
  readonly held: number;
  /** What is not confirmed yet. */
  readonly reports: readonly Report[];
}

export function wayOut(uid: string, { card }: State, element: SecureElementState): WayOut {
  if (element.card !== "ready" || element.identity.uid !== uid) return "card";
  if (element.pin === "locked") return "person";
  if (element.pin === "required" || card?.uid !== uid || card.session !== element.session) return "pin";
  return WAYS[card.tells ?? "last"];
}

/** After a right PIN. A card that repeats its last invoice was disturbed when it was asked. */
const WAYS = { last: "pin", amounts: "training", odd: "person" } as const;

/** Ids of open entries whose outcome is known, or about to be: at work, or signed and not written yet. */
export function settledSoon({ doing, held }: State): readonly number[] {
  const ofHeld = held.flatMap((write) => ("id" in write ? [write.id] : []));
  return "open" in doing ? [doing.open.id, ...ofHeld] : ofHeld;
}

export function heldSignatures({ held }: State): number {
  return held.filter(({ write }) => write === "complete").length;
}
