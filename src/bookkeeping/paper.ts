/** Writes a report for a printer, with 40 columns and CRLF after every line. */
import type { EpochMs } from "../base/epoch-ms.js";
import { dayReportLines } from "../fiscal/day-report-paper.js";
import type { ReceiptLanguage } from "../fiscal/language.js";
import type { MadeReport } from "./make-report.js";

export function reportText(made: MadeReport, printedAt: EpochMs, language: ReceiptLanguage): string {
  const timeZone = made.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return dayReportLines({ ...made, timeZone, printedAt, language })
    .map((line) => `${line}\r\n`)
    .join("");
}
