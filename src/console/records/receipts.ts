/** Receipts in a list and in detail. Only types: the console's code imports this file too. */
import type { ReceiptRow } from "../../ledger/receipt-row.js";

export interface ReceiptListRecord {
  readonly receipts: readonly ReceiptRow[];
  readonly more: boolean;
  /** Whether the store has no receipt at all. */
  readonly empty: boolean;
  /**
   * Progress of the index of receipts while it is incomplete: there may be more receipts. Null if the index is complete,
   * and without a filter.
   */
  readonly reading: IndexProgressRecord | null;
  /** How a search text was understood; null without one. */
  readonly understood: UnderstoodRecord | null;
}

/** How many of the store's entries the index has. */
export interface IndexProgressRecord {
  readonly done: number;
  readonly total: number;
}

/** What a search text may be, besides a number or the beginning of a RequestId. */
export interface UnderstoodRecord {
  /** Total counter; null if the text cannot be one. */
  readonly counter: number | null;
  /** Decimal texts. */
  readonly amounts: readonly string[];
}

export interface ReceiptDetailRecord extends ReceiptRow {
  /** False if the stored entry is damaged. */
  readonly intact: boolean;
  /** JSON: the invoice as understood, and the values computed from it; null if the receipt was adopted. */
  readonly request: string | null;
  /** JSON, without the QR code; null until signed. */
  readonly answer: string | null;
  readonly signed: SignedRecord | null;
  /** Whether a Copy or a Refund is taxed by today's rates, because the original's time is unknown. */
  readonly todaysRates: boolean;
  /**
   * The receipt that this one refers to, for example a refund's sale; null if it names none. `row` is null if that
   * receipt is not in the store.
   */
  readonly original: { readonly number: string; readonly row: ReceiptRow | null } | null;
  /** Receipts that refer to this one: refunds and copies, oldest first. While the index is incomplete there may be more. */
  readonly followers: { readonly rows: readonly ReceiptRow[]; readonly reading: IndexProgressRecord | null };
}

export interface SignedRecord {
  /** Lines of 40 columns; some are longer. */
  readonly journal: readonly string[];
  readonly verificationUrl: string;
  /** Rows of the QR code, one character per module, 1 is dark. Without the quiet zone. */
  readonly qr: readonly string[];
  readonly decoded: Readonly<Record<string, string | number>>;
  readonly hashValid: boolean;
  /** null if the card that signed is not in the reader. */
  readonly signatureValid: boolean | null;
}
