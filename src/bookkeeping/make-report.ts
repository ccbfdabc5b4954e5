/**
 * Makes the report of some days from the store, also as a record for JSON. It reads the store in pages, so that no sale
 * waits for it.
 */
import { setImmediate } from "node:timers/promises";
import type { EpochMs } from "../base/epoch-ms.js";
import { DayReportSums, type Days, type MadeReport, type SoldReceipt } from "../fiscal/day-report.js";
import type { Taxpayer } from "../fiscal/invoice.js";
import type { ReceiptForm } from "../fiscal/journal/layout.js";
import { toAmountText, toDecimalText } from "../fiscal/money.js";
import { type Day, dayAfter, isDay, localIn, momentOf } from "../fiscal/zoned.js";
import { contentOf, type ReceiptContent } from "../ledger/receipt-content.js";
import type { Receipts, StoredReceipt } from "../ledger/receipts.js";
import type { DayReportRecord } from "./day-report-record.js";

/**
 * The days of a requested report. Without a last day, it is today; without a first day, it is the last day.
 * @returns the problem with one of them, if there is one
 */
export function requestedDays(
  { from, to }: { readonly from: string | undefined; readonly to: string | undefined },
  now: EpochMs,
  timeZone: string | undefined,
): Days | { readonly name: "from" | "to"; readonly problem: string } {
  const last = to ?? localIn(now, timeZone)[0];
  const days = { from: from ?? last, to: last };
  for (const name of ["from", "to"] as const) {
    if (!isDay(days[name])) return { name, problem: "Expected a day such as 2026-11-21" };
  }
  return days.from > days.to ? { name: "from", problem: `The first day is after the last one, ${days.to}` } : days;
}

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

export function reportRecord({ from, to, report, ...made }: MadeReport): DayReportRecord {
  const { timeZone = null, taxpayer = null, form, unreadable } = made;
  const numberForm = form?.numberForm ?? null;
  const labels = report.labels.map(({ categoryType: _, ...label }) => {
    return { ...withTexts(label), rate: toDecimalText(label.rate) };
  });
  return { from, to, timeZone, numberForm, taxpayer, ...withTexts(report), labels, unreadable };
}

type WithTexts<T> = T extends bigint ? string : T extends object ? { [Key in keyof T]: WithTexts<T[Key]> } : T;

/** Returns the same values with every amount as a text. */
function withTexts<T>(values: T): WithTexts<T> {
  const json = JSON.stringify(values, (_, value) => (typeof value === "bigint" ? toAmountText(value) : value));
  return JSON.parse(json) as WithTexts<T>;
}
