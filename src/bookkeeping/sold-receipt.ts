/** A stored receipt in the form that reports need. */
import type { Sold, SoldReceipt } from "../fiscal/day-report.js";
import { type Taxpayer, totalAmountOf } from "../fiscal/invoice.js";
import type { ReceiptForm } from "../fiscal/journal/layout.js";
import { decodeVerificationUrl } from "../fiscal/verification-url.js";
import { dayIn } from "../fiscal/zoned.js";
import { decodeIntent } from "../fiscalizer/intent.js";
import type { SoldRow } from "../ledger/sold-rows.js";

export interface ReadReceipt {
  readonly receipt: SoldReceipt;
  /** Undefined if the receipt was adopted. */
  readonly taxpayer: Taxpayer | undefined;
  /** Undefined for 40 columns and decimal commas. */
  readonly form: ReceiptForm | undefined;
}

/** Undefined if the entry is damaged: one receipt must not stop a report. */
export function readReceipt(row: SoldRow, timeZone: string | undefined): ReadReceipt | undefined {
  const day = dayIn(new Date(row.time), timeZone);
  try {
    if (row.intent === null) return { receipt: { ...adopted(row), day }, taxpayer: undefined, form: undefined };
    const { invoice, taxItems, taxpayer, form } = decodeIntent(row.intent);
    const { invoiceType, transactionType, cashier, items, payment } = invoice;
    const sold: Sold = { items, taxItems, payment };
    const total = totalAmountOf(items);
    return {
      receipt: { day, number: row.number, invoiceType, transactionType, total, cashier, sold },
      taxpayer,
      form,
    };
  } catch {
    return undefined;
  }
}

/** The verification URL contains what the card signed. */
function adopted({ number, adopted: answer }: SoldRow): Omit<SoldReceipt, "day"> {
  const { verificationUrl } = JSON.parse(answer ?? "") as { verificationUrl: string };
  const { invoiceType, transactionType, totalAmount: total } = decodeVerificationUrl(verificationUrl);
  return { number, invoiceType, transactionType, total, cashier: undefined, sold: undefined };
}
