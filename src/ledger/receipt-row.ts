/** A stored receipt in a list. */
import type { EpochMs } from "../base/epoch-ms.js";
import type { EntryState } from "./ledger.js";

export interface ReceiptRow {
  readonly id: number;
  /** Erased receipts appear in no list. */
  readonly state: Exclude<EntryState, "erased">;
  readonly requestId: string | null;
  readonly number: string | null;
  /** The time that the card signed; null until signed. */
  readonly time: EpochMs | null;
  /** Decimal text; null until signed. */
  readonly totalAmount: string | null;
  /** Letters of the pair of types, as printed; null until signed. */
  readonly extension: string | null;
}
