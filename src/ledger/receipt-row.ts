/** A stored receipt in a list. */
import type { EpochMs } from "../base/epoch-ms.js";
import type { Entry, EntryState } from "./ledger.js";

export interface ReceiptRow extends Pick<Entry, "id" | "requestId" | "number" | "intact"> {
  /** Erased receipts appear in no list. */
  readonly state: Exclude<EntryState, "erased">;
  /** The time that the card signed; null until signed. */
  readonly time: EpochMs | null;
  /** Decimal text; null until signed. */
  readonly totalAmount: string | null;
  /** Letters of the pair of types, as printed; null until signed. */
  readonly extension: string | null;
}
