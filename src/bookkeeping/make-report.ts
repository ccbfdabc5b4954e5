/** Makes the report of some days from the store. It reads the store in pages, so that no sale waits for it. */
import { setImmediate } from "node:timers/promises";
import { DayReportSums, type Days, type MadeReport, type SoldReceipt } from "../fiscal/day-report.js";
import type { Taxpayer } from "../fiscal/invoice.js";
import type { ReceiptForm } from "../fiscal/journal/layout.js";
import { beginningOf, dayAfter, localIn } from "../fiscal/zoned.js";
import { contentOf } from "../ledger/receipt-content.js";
import type { Receipts, SoldRow } from "../ledger/receipts.js";

/** Makes a report. @param isWanted called between pages; when it returns false, the report has the sums so far */
export async function makeReport(
  receipts: Pick<Receipts, "sold">,
  days: Days,
  timeZone: string | undefined,
  isWanted: () => boolean = () => true,
): Promise<MadeReport> {
  const { from, to } = days;
  const sums = new DayReportSums();
  let taxpayer: Taxpayer | undefined;
  let form: ReceiptForm | undefined;
  let unreadable = 0;
  const period = {
    from: beginningOf(from, timeZone).getTime(),
    to: beginningOf(dayAfter(to), timeZone).getTime(),
  };
  for (const page of receipts.sold(period)) {
    for (const row of page) {
      const read = readReceipt(row, timeZone);
      if (read) {
        sums.add(read.receipt);
        taxpayer = read.taxpayer ?? taxpayer;
        // An adopted receipt has no form, so keep the form of the receipt before it.
        if (read.taxpayer) form = read.form;
      } else unreadable++;
    }
    await setImmediate();
    if (!isWanted()) break;
  }
  return { from, to, report: sums.report(), timeZone, taxpayer, form, unreadable };
}

/** The time zone in which the newest receipt was printed. */
export function timeZoneOf(receipts: Pick<Receipts, "newestIntent">): string | undefined {
  const intent = receipts.newestIntent();
  return intent === undefined ? undefined : contentOf({ intent, answer: null })?.intent?.timeZone;
}

interface ReadReceipt {
  readonly receipt: SoldReceipt;
  /** The taxpayer on the receipt; undefined if the receipt was adopted. */
  readonly taxpayer: Taxpayer | undefined;
  /** The form of the receipt; undefined means the usual form of its language. */
  readonly form: ReceiptForm | undefined;
}

/** The receipt of an entry; undefined if the entry is damaged, because one receipt must not stop a report. */
function readReceipt(row: SoldRow, timeZone?: string): ReadReceipt | undefined {
  const [day, shown] = localIn(new Date(row.time), timeZone);
  const content = contentOf(row);
  if (!content) return undefined;
  const { invoiceType, transactionType, total, intent } = content;
  return {
    receipt: {
      day,
      hour: Number(shown.slice(0, 2)),
      number: row.number,
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
