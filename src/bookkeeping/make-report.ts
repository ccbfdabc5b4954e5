/** Makes the report of some days from the store. It reads the store in pages, so that no sale waits for it. */
import { setImmediate } from "node:timers/promises";
import { DayReportSums, type Days, type MadeReport, type SoldReceipt } from "../fiscal/day-report.js";
import type { Taxpayer } from "../fiscal/invoice.js";
import type { ReceiptForm } from "../fiscal/journal/layout.js";
import { type Day, dayAfter, localIn, momentOf } from "../fiscal/zoned.js";
import { contentOf, type ReceiptContent } from "../ledger/receipt-content.js";
import type { Receipts, StoredReceipt } from "../ledger/receipts.js";

/** Makes a report. @param isWanted called between pages; when it returns false, the report has the sums so far */
export async function makeReport(
  receipts: Pick<Receipts, "between">,
  days: Days,
  timeZone: string | undefined,
  isWanted: () => boolean = () => true,
): Promise<MadeReport> {
  const { from, to } = days;
  const sums = new DayReportSums();
  let taxpayer: Taxpayer | undefined;
  let form: ReceiptForm | undefined;
  let unreadable = 0;
  const beginning = (day: Day) => momentOf(`${day}T00:00`, timeZone).getTime();
  for (const page of receipts.between({ from: beginning(from), to: beginning(dayAfter(to)) })) {
    for (const row of page) {
      const content = row.intact ? contentOf(row) : undefined;
      // One damaged receipt must not stop a report.
      if (!content) unreadable++;
      else {
        sums.add(soldReceipt(row, content, timeZone));
        // An adopted receipt has no intent, so keep taxpayer and form of the receipt before it.
        if (content.intent) ({ taxpayer, form } = content.intent);
      }
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

function soldReceipt({ number }: StoredReceipt, content: ReceiptContent, timeZone: string | undefined): SoldReceipt {
  const { time, invoiceType, transactionType, total, intent } = content;
  const [day, shown] = localIn(time, timeZone);
  return {
    day,
    hour: Number(shown.slice(0, 2)),
    number: number ?? "",
    invoiceType,
    transactionType,
    total,
    cashier: intent?.invoice.cashier,
    sold: intent && { items: intent.invoice.items, taxItems: intent.taxItems, payment: intent.invoice.payment },
  };
}
