/**
 * The report and the tables, against sums that this test makes from the printed receipts alone: it reads the totals and the tax block
 * of each text, and the clock that it sets itself.
 */
import { expect, it } from "vitest";
import { SAMPLE_TYPES, sampleInvoices } from "../../harness/sample/sample-invoices.js";
import type { DayReportRecord } from "../../src/bookkeeping/day-report-record.js";
import { loadNamedEnvironment } from "../../src/config/environment.js";
import { openTill } from "../support/till.js";

const HOUR = 3_600_000;
/** 18 November, 22:20 in Belgrade, where winter time is one hour ahead of UTC. */
const START = Date.UTC(2026, 10, 18, 21, 20);
const COUNT = 500;

/** A printed amount, `1.234,50`, in hundredths. */
const hundredths = (printed: string) => Number(printed.replace(/[.,]/g, ""));

interface Printed {
  readonly kind: string;
  readonly day: string;
  readonly hour: number;
  readonly amount: number;
  readonly taxes: ReadonlyMap<string, number>;
}

/** The lines `A   VAT   20,00%   16,67` between the heading and the total of the taxes. */
function printedTaxes(journal: string): Map<string, number> {
  const taxes = new Map<string, number>();
  for (const [, label = "", tax = ""] of journal.matchAll(/^(\S) .*% +(-?[\d.,]+) *\r?$/gm)) {
    taxes.set(label, (taxes.get(label) ?? 0) + hundredths(tax));
  }
  return taxes;
}

/** Tables with semicolons; a field in quotes has its quotes doubled. */
function table(text: string): Record<string, string>[] {
  const lines = text.replace("\ufeff", "").trimEnd().split("\n");
  const fields = (line: string) =>
    [...line.matchAll(/("(?:[^"]|"")*"|[^;]*)(?:;|$)/g)].map(([, field = ""]) =>
      field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field,
    );
  const [head = [], ...rows] = lines.map(fields);
  return rows.map((row) => Object.fromEntries(head.map((name, i) => [name, row[i] ?? ""])));
}

const sum = (numbers: Iterable<number>) => [...numbers].reduce((all, number) => all + number, 0);
const isFiscal = ({ kind }: Pick<Printed, "kind">) => /^(Normal|Advance) /.test(kind);

it(`a report adds up ${COUNT} invoices of every kind as their printed receipts do`, { timeout: 240_000 }, async () => {
  let now = START;
  const till = await openTill({ now: () => now });
  const environment = loadNamedEnvironment("specification");
  if (!environment) throw new Error("no environment");
  const printed: Printed[] = [];
  for await (const invoice of sampleInvoices({ count: COUNT, seed: "bookkeeper", types: SAMPLE_TYPES, environment })) {
    const answer = await till.sell(invoice);
    const { invoiceType, transactionType } = invoice as { invoiceType: string; transactionType: string };
    const { journal, totalAmount } = answer.json<{ journal: string; totalAmount: number }>();
    const sign = transactionType === "Refund" ? -1 : 1;
    const local = new Date(now + HOUR).toISOString();
    printed.push({
      kind: `${invoiceType} ${transactionType}`,
      day: local.slice(0, 10),
      hour: Number(local.slice(11, 13)),
      amount: sign * Math.round(totalAmount * 100),
      taxes: new Map([...printedTaxes(journal)].map(([label, tax]) => [label, sign * tax])),
    });
    now += 7 * 60_000;
  }
  const fiscal = printed.filter(isFiscal);
  expect(new Set(printed.map(({ kind }) => kind)).size).toBe(10);
  const taxOf = ({ taxes }: Printed) => sum(taxes.values());

  const report = (await till.call("GET", "/console/report?from=2026-11-01&to=2026-11-30")).json<DayReportRecord>();
  const shown = (decimal: string) => Math.round(Number(decimal) * 100);
  expect(shown(report.total.difference.amount)).toBe(sum(fiscal.map(({ amount }) => amount)));
  expect(shown(report.total.difference.tax)).toBe(sum(fiscal.map(taxOf)));
  const days = [...new Set(fiscal.map(({ day }) => day))];
  expect(report.days.map(({ day }) => day)).toEqual(days);
  for (const { day, difference, receipts } of report.days) {
    const ofDay = fiscal.filter((one) => one.day === day);
    expect([receipts, shown(difference.amount), shown(difference.tax)]).toEqual([
      ofDay.length,
      sum(ofDay.map(({ amount }) => amount)),
      sum(ofDay.map(taxOf)),
    ]);
  }
  for (const { hour, difference } of report.hours) {
    expect(shown(difference.amount)).toBe(sum(fiscal.filter((one) => one.hour === hour).map(({ amount }) => amount)));
  }
  for (const { label, difference } of report.labels) {
    expect(shown(difference.tax)).toBe(sum(fiscal.map(({ taxes }) => taxes.get(label) ?? 0)));
  }

  const receipts = table((await till.call("GET", "/console/receipts.csv?decimal=comma")).text);
  expect(
    receipts.map(({ invoiceType, transactionType, day, totalAmount, totalTax }) => [
      `${invoiceType} ${transactionType}`,
      day,
      hundredths(totalAmount ?? ""),
      hundredths(totalTax ?? ""),
    ]),
  ).toEqual(printed.map((one) => [one.kind, one.day, one.amount, taxOf(one)]));
  const items = table((await till.call("GET", "/console/items.csv?decimal=comma")).text);
  const byReceipt = new Map<string, number>();
  for (const { number = "", totalAmount = "" } of items) {
    byReceipt.set(number, (byReceipt.get(number) ?? 0) + hundredths(totalAmount));
  }
  expect(receipts.map(({ number = "" }) => byReceipt.get(number))).toEqual(printed.map(({ amount }) => amount));
});
