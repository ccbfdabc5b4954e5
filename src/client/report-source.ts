/** Gets a day report from the running service, or from the store if none runs. */
import { systemClock } from "../base/clock.js";
import { jsonText } from "../base/terminal-text.js";
import { EXIT, UserError } from "../base/user-error.js";
import { reportCsv } from "../bookkeeping/csv.js";
import { type MadeReport, makeReport, timeZoneOf } from "../bookkeeping/make-report.js";
import { reportText } from "../bookkeeping/paper.js";
import { reportRecord } from "../bookkeeping/record.js";
import { type RequestedDays, requestedDays } from "../bookkeeping/requested-days.js";
import type { LoadedConfig } from "../config/load.js";
import type { ReceiptLanguage } from "../fiscal/language.js";
import { callService } from "./call-service.js";
import type { RunningService } from "./find-running.js";
import { inStore } from "./in-store.js";
import { serviceOrStore } from "./service-or-store.js";

export interface RequestedReport extends RequestedDays {
  readonly form: "text" | "json" | "csv";
  readonly language: ReceiptLanguage;
}

/** Returns the report's text. @throws UserError if there is neither a service nor a store, or if a day is not valid */
export function readReport(config: LoadedConfig, report: RequestedReport): Promise<string> {
  return serviceOrStore(
    config,
    (running) => ofService(running, report),
    (dataDir) => ofStore(dataDir, report),
  );
}

const PATHS = { text: "/report.txt", json: "/report", csv: "/report.csv" } as const;

async function ofService(
  running: RunningService,
  { form, from = "", to = "", language }: RequestedReport,
): Promise<string> {
  const query = new URLSearchParams({ from, to, ...(form === "text" ? { language } : {}) });
  // Set no time limit, because a year of receipts takes long.
  const answer = await callService(running, "GET", `${PATHS[form]}?${query}`, undefined, Number.POSITIVE_INFINITY);
  return form === "json" ? jsonText(await answer.json()) : Buffer.from(await answer.arrayBuffer()).toString("utf8");
}

function ofStore(dataDir: string, report: RequestedReport): Promise<string> {
  return inStore(dataDir, async (store) => {
    const rows = store.soldRows();
    const timeZone = timeZoneOf(rows);
    const days = requestedDays(report, systemClock.now(), timeZone);
    if ("problem" in days) throw new UserError(`--${days.name}: ${days.problem}`, EXIT.usage);
    return inForm(await makeReport(rows, days, timeZone), report);
  });
}

function inForm(made: MadeReport, { form, language }: RequestedReport): string {
  if (form === "text") return reportText(made, systemClock.now(), language);
  const record = reportRecord(made);
  return form === "csv" ? reportCsv(record) : jsonText(record);
}
