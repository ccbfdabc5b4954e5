/** Lists what needs a person's attention: sales in doubt and how to settle them, unwritten signatures, and reports. */
import type { Entry, Report } from "../ledger/ledger.js";
import type { State } from "./protocol/state.js";
import type { WayOut } from "./protocol/way-out.js";

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

/** Returns ids of open entries that need no person: the sale at work, and sales whose outcome is not written yet. */
export function settledSoon({ doing, unwritten }: State): readonly number[] {
  const ofUnwritten = unwritten.flatMap((write) => ("id" in write ? [write.id] : []));
  return "open" in doing ? [doing.open.id, ...ofUnwritten] : ofUnwritten;
}
