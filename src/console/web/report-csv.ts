/** Writes the day report as CSV for a spreadsheet, in the language of the reader. Programs ask for /console/report.csv. */

import { withoutFormula } from "../../bookkeeping/cells.js";
import type { BalanceRecord, DayReportRecord, KindRecord } from "../../bookkeeping/day-report-record.js";
import type { NumberForm } from "../../fiscal/journal/layout.js";
import { minus } from "./sums.js";
import type { Speech } from "./texts.js";

/** Spreadsheets need it to read UTF-8. */
const BYTE_ORDER_MARK = "\ufeff";
const AMOUNT = /^-?\d+\.\d+$/;

/** @param form decides the separators: spreadsheets with decimal commas expect semicolons between cells */
export function csvOf(report: DayReportRecord, form: NumberForm, { say }: Speech): Blob {
  const { from, to, total, days, hours, labels, payments, kinds, cashiers, apart } = report;
  const { first, last, withoutItems, unreadable } = report;
  const balance = ({ receipts, sales, refunds, difference }: BalanceRecord) => [
    receipts,
    sales.amount,
    sales.tax,
    minus(refunds.amount),
    minus(refunds.tax),
    difference.amount,
    difference.tax,
  ];
  const kind = ({ invoiceType, transactionType, receipts, amount, tax }: KindRecord) => [
    say(`kind${invoiceType}${transactionType}`),
    "",
    receipts,
    ...["", "", "", ""],
    amount,
    tax,
  ];
  const taxOf = (what: string) => `${say("tax")} (${what})`;
  const sums = (["sales", "refunds", "difference"] as const).flatMap((key) => [say(key), taxOf(say(key))]);
  const rows: readonly (readonly (string | number)[])[] = [
    [say("report"), `${from} - ${to}`, say("rate"), say("countReceipts"), ...sums],
    [say("sumTotal"), "", "", ...balance(total)],
    ...days.map((day) => [say("byDay"), day.day, "", ...balance(day)]),
    ...hours.map((hour) => [say("byHour"), `${hour.hour}:00`, "", ...balance(hour)]),
    ...labels.map((label) => [say("taxByLabel"), `${label.label} ${label.category}`, label.rate, ...balance(label)]),
    ...payments.map(({ payment, sales, refunds, difference }) => {
      const amounts = [sales, "", minus(refunds), "", difference, ""];
      return [say("takings"), say(`pay${payment}`), "", "", ...amounts];
    }),
    ...kinds.map((one) => [say("kinds"), ...kind(one)]),
    ...cashiers.map((one) => [say("cashiers"), one.cashier ?? say("noCashier"), "", ...balance(one)]),
    ...apart.map((one) => [say("apart"), ...kind(one)]),
    [say("firstNumber"), first ?? ""],
    [say("lastNumber"), last ?? ""],
    ...(withoutItems > 0 ? [[say("withoutItems", { n: withoutItems })]] : []),
    ...(unreadable > 0 ? [[say("unreadableReceipts", { n: unreadable })]] : []),
  ];
  const cell = (value: string | number) => {
    if (typeof value === "number" || value === "") return String(value);
    if (AMOUNT.test(value)) return form === "comma" ? value.replace(".", ",") : value;
    return `"${withoutFormula(value).replaceAll('"', '""')}"`;
  };
  const lines = rows.map((row) => row.map(cell).join(form === "comma" ? ";" : ","));
  return new Blob([BYTE_ORDER_MARK, ...lines.map((line) => `${line}\n`)], { type: "text/csv;charset=utf-8" });
}
