/** Reads a stored receipt into the form that reports need. */
import type { SoldReceipt } from "../fiscal/day-report.js";
import type { Taxpayer } from "../fiscal/invoice.js";
import type { ReceiptForm } from "../fiscal/journal/layout.js";
import { localIn } from "../fiscal/zoned.js";
import { contentOf } from "../ledger/receipt-content.js";
import type { SoldRow } from "../ledger/sold-rows.js";

export interface ReadReceipt {
  readonly receipt: SoldReceipt;
  /** The taxpayer on the receipt; undefined if the receipt was adopted. */
  readonly taxpayer: Taxpayer | undefined;
  /** The form of the receipt; undefined means the usual form of its language. */
  readonly form: ReceiptForm | undefined;
}

/** The receipt of an entry; undefined if the entry is damaged, because one receipt must not stop a report. */
export function readReceipt(
  { number, time, intent: json, adopted }: SoldRow,
  timeZone?: string,
): ReadReceipt | undefined {
  const [day, shown] = localIn(new Date(time), timeZone);
  const content = contentOf({ intent: json, answer: adopted });
  if (!content) return undefined;
  const { invoiceType, transactionType, total, intent } = content;
  return {
    receipt: {
      day,
      hour: Number(shown.slice(0, 2)),
      number,
      invoiceType,
      transactionType,
      total,
      cashier: intent?.invoice.cashier,
      sold: intent && { items: intent.invoice.items, taxItems: intent.taxItems, payment: intent.invoice.payment },
    },
    taxpayer: intent?.taxpayer,
    form: intent?.form,
  };
}
