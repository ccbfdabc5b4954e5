/**
 * Converts receipts and filters to the form that searches compare. In this form, case, script and accents make no
 * difference.
 */
import { toLatin } from "../fiscal/latin.js";
import { toDecimalText } from "../fiscal/money.js";
import { normaliseLabel } from "../fiscal/tax.js";
import { contentOf } from "../ledger/receipt-content.js";
import type { Filter, IndexedReceipt, UnindexedReceipt } from "../ledger/receipt-index.js";

/** Returns a text in small Latin letters without accents, so that `ХЛЕБ` equals `hleb`, and `č` equals `c`. */
export function folded(text: string): string {
  return toLatin(text).toLowerCase().normalize("NFD").replaceAll(/\p{M}/gu, "").replaceAll("đ", "dj");
}

/** Converts the filter that a person typed to the form of the index. */
export function foldedFilter({ kind, cashier, buyer, label, payment, article }: Filter): Filter {
  return {
    kind,
    payment,
    label: normaliseLabel(label),
    cashier: folded(cashier),
    buyer: folded(buyer),
    article: folded(article),
  };
}

/** Converts a stored receipt to the form of the index. @returns undefined if the stored receipt is damaged */
export function indexedReceipt({ intent: json, adopted }: UnindexedReceipt): IndexedReceipt | undefined {
  const content = contentOf({ intent: json, answer: adopted });
  if (!content) return undefined;
  const { time, invoiceType, transactionType, total, buyerId, intent } = content;
  const { cashier = "", items = [], payment = [], referentDocumentNumber = null } = intent?.invoice ?? {};
  return {
    time,
    kind: `${invoiceType} ${transactionType}`,
    amount: toDecimalText(total),
    cashier: folded(cashier),
    buyer: folded(buyerId),
    labels: intent ? spaced(items.flatMap(({ labels }) => labels)) : "",
    payments: intent ? spaced(payment.map(({ paymentType }) => paymentType)) : "",
    articles: folded(items.map(({ name, gtin = "" }) => `${name}\n${gtin}`).join("\n")),
    referent: referentDocumentNumber,
  };
}

function spaced(texts: readonly string[]): string {
  return ` ${[...new Set(texts)].join(" ")} `;
}
