/** Writes and reads invoice numbers and counters (protocol facts, section 4, "Invoice answer"). */
import {
  INVOICE_TYPE_NAMES,
  type InvoiceType,
  type ReceiptKind,
  TRANSACTION_TYPE_NAMES,
  type TransactionType,
} from "./invoice.js";
import type { ReceiptLanguage } from "./language.js";

const LATIN = {
  Normal: "N",
  Copy: "C",
  Proforma: "P",
  Training: "T",
  Advance: "A",
  Sale: "S",
  Refund: "R",
} as const;

const CYRILLIC = {
  Normal: "П",
  Copy: "К",
  Proforma: "Р",
  Training: "О",
  Advance: "А",
  Sale: "П",
  Refund: "Р",
} as const;

/** Returns the letters for a pair of invoice type and transaction type: `NS`, or `ПП` on a receipt in Cyrillic. */
export function counterExtension(
  invoice: InvoiceType,
  transaction: TransactionType,
  language: ReceiptLanguage,
): string {
  const letters = language === "sr-Cyrl-RS" ? CYRILLIC : LATIN;
  return letters[invoice] + letters[transaction];
}

export const KINDS: readonly ReceiptKind[] = INVOICE_TYPE_NAMES.flatMap((invoiceType) =>
  TRANSACTION_TYPE_NAMES.map((transactionType) => ({ invoiceType, transactionType })),
);

/** Returns the pair of types that a counter's letters mean, in either script. Two pairs never have the same letters. */
export function kindOf(extension: string): ReceiptKind | undefined {
  return KINDS.find(({ invoiceType, transactionType }) =>
    (["sr-Cyrl-RS", "en-US"] as const).some(
      (language) => counterExtension(invoiceType, transactionType, language) === extension,
    ),
  );
}

/** Returns the invoice counter, such as `8652/11389ПП`: counter of the pair, total counter, letters of the pair. */
export function invoiceCounter(pairCounter: number, totalCounter: number, extension: string): string {
  return `${pairCounter}/${totalCounter}${extension}`;
}

/** Returns the invoice number, such as `YJLQTEQR-YJLQTEQR-11389`: requestedBy, signedBy, total counter. */
export function invoiceNumber(requestedBy: string, signedBy: string, totalCounter: number): string {
  return `${requestedBy}-${signedBy}-${totalCounter}`;
}
