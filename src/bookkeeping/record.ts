/** Writes a report as a record for JSON. */
import type { MadeReport } from "../fiscal/day-report.js";
import { toAmountText, toDecimalText } from "../fiscal/money.js";
import type { DayReportRecord } from "./day-report-record.js";

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
