/** A stored receipt in a list. */
import type { EntryState } from "./ledger.js";

export interface ReceiptRow {
  readonly id: number;
  /** Erased receipts appear in no list. */
  readonly state: Exclude<EntryState, "erased">;
  readonly requestId: string | null;
  readonly number: string | null;
  /** The time that the card signed: ms since the epoch; null until signed. */
  readonly time: number | null;
  /** Decimal text; null until signed. */
  readonly totalAmount: string | null;
  /** Letters of the pair of types, as printed; null until signed. */
  readonly extension: string | null;
}
