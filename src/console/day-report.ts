/**
 * Answers requests for the day report: as a record for the console, as CSV for spreadsheets, and as text for printers.
 */
import type { Request, Response } from "express";
import { reportCsv } from "../bookkeeping/csv.js";
import { makeReport, reportRecord, requestedDays, timeZoneOf } from "../bookkeeping/make-report.js";
import type { MadeReport } from "../fiscal/day-report.js";
import { dayReportLines } from "../fiscal/day-report-paper.js";
import { RECEIPT_LANGUAGES, type ReceiptLanguage } from "../fiscal/language.js";
import { toIso } from "../fiscal/time.js";
import type { CallHandler } from "../http/endpoint-router.js";
import { HttpError } from "../http/errors.js";
import type { Receipts } from "../ledger/receipts.js";
import type { ServiceStateSources } from "../state/service-state.js";
import { isDecimalComma } from "./sheets.js";

/**
 * Makes the handlers of the day report. The query `?from=&to=` has the first and the last day, in the shop's time zone.
 */
export function dayReportHandlers(
  receipts: Receipts,
  { inForce, clock }: Pick<ServiceStateSources, "inForce" | "clock">,
): Readonly<Record<"report" | "reportCsv" | "reportText", CallHandler>> {
  const environment = () => inForce().environment;
  const made = (request: Request, response: Response): Promise<MadeReport> => {
    const timeZone = environment()?.timeZone ?? timeZoneOf(receipts);
    const days = requestedDays(
      { from: parameter(request, "from"), to: parameter(request, "to") },
      clock.now(),
      timeZone,
    );
    if ("problem" in days) throw new HttpError(404, days.name, days.problem);
    return makeReport(receipts, days, timeZone, () => !response.closed);
  };
  const languageOf = (request: Request): ReceiptLanguage => {
    const wanted = parameter(request, "language") ?? environment()?.languages[0]?.prints ?? "en-US";
    const language = RECEIPT_LANGUAGES.find((known) => known === wanted);
    if (!language) throw new HttpError(404, "language", `Expected one of ${RECEIPT_LANGUAGES.join(", ")}`);
    return language;
  };
  const asked = (request: Request) => (parameter(request, "language") === undefined ? undefined : languageOf(request));
  return {
    report: async ({ request, response }) => {
      const printed = asked(request);
      const madeAt = toIso(clock.now());
      const report = await made(request, response);
      const lines = printed && dayReportLines(report, clock.now(), printed);
      return { ...reportRecord(report), ...(lines ? { lines, madeAt } : {}) };
    },
    reportCsv: async ({ request, response }) => {
      const language = asked(request);
      const record = reportRecord(await made(request, response));
      response.attachment();
      return reportCsv(record, isDecimalComma(request), language);
    },
    reportText: async ({ request, response }) => {
      const language = languageOf(request);
      const lines = dayReportLines(await made(request, response), clock.now(), language);
      return lines.map((line) => `${line}\r\n`).join("");
    },
  };
}

/** Returns the text of a query parameter; undefined if the parameter is missing or empty. */
function parameter(request: Request, name: string): string | undefined {
  const value = request.query[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
