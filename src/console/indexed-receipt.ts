/**
 * Converts receipts to the form that searches compare. In this form, case, script and accents make no
 * difference.
 */
import { toLatin } from "../fiscal/latin.js";
import { toDecimalText } from "../fiscal/money.js";
import { contentOf, type ReceiptTexts } from "../ledger/receipt-content.js";
import type { IndexedReceipt } from "../ledger/receipt-index.js";

/** Returns a text in small Latin letters without accents, so that `ХЛЕБ` equals `hleb`, and `č` equals `c`. */
export function folded(text: string): string {
  return toLatin(text).toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "").replaceAll("đ", "dj");
}

/** Converts a stored receipt to the form of the index. @returns undefined if the stored receipt is damaged */
export function indexedReceipt(receipt: ReceiptTexts): IndexedReceipt | undefined {
  const content = contentOf(receipt);
  if (!content) return undefined;
  const { time, invoiceType, transactionType, total, buyerId, intent } = content;
  const { cashier = "", items = [], payment = [], referentDocumentNumber = null } = intent?.invoice ?? {};
  return {
    time,
    kind: `${invoiceType} ${transactionType}`,
    amount: toDecimalText(total),
    labels: intent ? spaced(items.flatMap(({ labels }) => labels)) : "",
    payments: intent ? spaced(payment.map(({ paymentType }) => paymentType)) : "",
    words: folded([cashier, buyerId, ...items.flatMap(({ name, gtin = "" }) => [name, gtin])].join("\n")),
    referent: referentDocumentNumber,
  };
}

function spaced(texts: readonly string[]): string {
  return ` ${[...new Set(texts)].join(" ")} `;
}
