/** Receipts in a list and in detail. */
import type { ReceiptRow } from "../../ledger/receipt-row.js";

export interface ReceiptListRecord {
  readonly receipts: readonly ReceiptRow[];
  readonly more: boolean;
  /** Whether the store has no receipt at all. */
  readonly empty: boolean;
  /**
   * Progress of the index of receipts while the index is incomplete: the list may then lack some receipts. Null if the
   * index is complete, or if the request has no filter.
   */
  readonly reading: IndexProgressRecord | null;
  /** How the service understood the search text; null without a search text. */
  readonly understood: UnderstoodRecord | null;
}

/** Number of the store's entries that the index has (`done`), and of all entries of the store (`total`). */
export interface IndexProgressRecord {
  readonly done: number;
  readonly total: number;
}

/** What a search text may mean, besides an invoice number or the beginning of a RequestId. */
export interface UnderstoodRecord {
  /** Total counter that the text may mean; null if the text cannot be a counter. */
  readonly counter: number | null;
  /** Amounts that the text may mean, as decimal texts. */
  readonly amounts: readonly string[];
}

export interface ReceiptDetailRecord extends ReceiptRow {
  /** False if the stored entry is damaged. */
  readonly intact: boolean;
  /**
   * JSON of the invoice as the service understood it, and of the values computed from it; null if the receipt was
   * adopted.
   */
  readonly request: string | null;
  /** JSON of the answer, without the QR code; null until the receipt is signed. */
  readonly answer: string | null;
  readonly signed: SignedRecord | null;
  /** Whether a Copy or a Refund is taxed by today's rates, because the original's time is unknown. */
  readonly todaysRates: boolean;
  /**
   * The receipt that this receipt refers to, for example the sale of a refund; null if this receipt refers to no other.
   * `row` is null if the store does not have the other receipt.
   */
  readonly original: { readonly number: string; readonly row: ReceiptRow | null } | null;
  /**
   * Refunds and copies that refer to this receipt, oldest first. While the index is incomplete, the list may lack some.
   */
  readonly followers: { readonly rows: readonly ReceiptRow[]; readonly reading: IndexProgressRecord | null };
}

export interface SignedRecord {
  /** Lines of the receipt's text. A line has 40 columns; some lines are longer. */
  readonly journal: readonly string[];
  readonly verificationUrl: string;
  /** Rows of the QR code without its quiet zone. A row has one character for each module; `1` is a dark module. */
  readonly qr: readonly string[];
  readonly decoded: Readonly<Record<string, string | number>>;
  readonly hashValid: boolean;
  /** Whether the signature is valid; null if the card that signed the receipt is not in the reader. */
  readonly signatureValid: boolean | null;
}
