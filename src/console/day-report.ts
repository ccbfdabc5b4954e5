/** The day report, for people, spreadsheets and printers. */
import type { Request, RequestHandler } from "express";
import { LANGUAGES } from "../fiscal/language.js";
import type { StandingSources } from "../fiscalizer/standing.js";
import { HttpError } from "../http/errors.js";
import type { SoldRows } from "../ledger/sold-rows.js";
import { reportCsv } from "../report/csv.js";
import { daysAsked } from "../report/days-asked.js";
import { type MadeReport, makeReport, timeZoneOf } from "../report/make-report.js";
import { reportText } from "../report/paper.js";
import { reportRecord } from "../report/record.js";

/** `?from=&to=` days of the shop's calendar. */
export function dayReportHandlers(
  rows: SoldRows,
  { fiscalizer, clock }: Pick<StandingSources, "fiscalizer" | "clock">,
): Readonly<Record<"report" | "reportCsv" | "reportText", RequestHandler>> {
  const parameters = () => fiscalizer.currentEnvironment()?.parameters;
  const made = (request: Request): Promise<MadeReport> => {
    const timeZone = parameters()?.serverTimeZone ?? timeZoneOf(rows);
    const days = daysAsked({ from: said(request, "from"), to: said(request, "to") }, clock.now(), timeZone);
    if ("problem" in days) throw new HttpError(404, days.name, days.problem);
    return makeReport(rows, days, timeZone);
  };
  return {
    report: async (request, response) => void response.json(reportRecord(await made(request))),
    reportCsv: async (request, response) => {
      response.attachment();
      response.type("text/csv").send(reportCsv(reportRecord(await made(request))));
    },
    reportText: async (request, response) => {
      const asked = said(request, "language") ?? parameters()?.supportedLanguages[0] ?? "en-US";
      const language = LANGUAGES.find((known) => known === asked);
      if (!language) throw new HttpError(404, "language", `Expected one of ${LANGUAGES.join(", ")}`);
      response.type("text/plain").send(reportText(await made(request), clock.now(), language));
    },
  };
}

/** Nothing, where it is empty. */
function said(request: Request, name: string): string | undefined {
  const value = request.query[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}
