/** Where a day report comes from: the service that runs, or the store of one that does not. */
import { systemClock } from "../clock.js";
import { dataDirOf } from "../config/data-dir.js";
import type { LoadedConfig } from "../config/load.js";
import type { Language } from "../fiscal/language.js";
import { StoreReading } from "../ledger/store-reading.js";
import { reportCsv } from "../report/csv.js";
import { type AskedDays, daysAsked } from "../report/days-asked.js";
import { type MadeReport, makeReport, timeZoneOf } from "../report/make-report.js";
import { reportText } from "../report/paper.js";
import { reportRecord } from "../report/record.js";
import { callService } from "./call-service.js";
import { type Found, findRunning, NotRunning } from "./find-running.js";
import { explained } from "./reports-source.js";
import { EXIT, UserError } from "./user-error.js";

export interface AskedReport extends AskedDays {
  readonly form: "text" | "json" | "csv";
  readonly language: Language;
}

/** What is printed. @throws UserError where there is neither a service nor a store, or a day is none */
export async function readReport(config: LoadedConfig, asked: AskedReport): Promise<string> {
  try {
    return await ofService(await findRunning(config), asked);
  } catch (error) {
    const { card, dataDir } = config.settings;
    if (!(error instanceof NotRunning) || (card !== "pcsc" && dataDir === undefined)) throw error;
    return explained(() => ofStore(dataDirOf(config.settings), asked));
  }
}

const PATHS = { text: "/report.txt", json: "/report", csv: "/report.csv" } as const;

async function ofService(found: Found, { form, from = "", to = "", language }: AskedReport): Promise<string> {
  const query = new URLSearchParams({ from, to, ...(form === "text" ? { language } : {}) });
  // A year of receipts takes as long as it takes.
  const answer = await callService(found, "GET", `${PATHS[form]}?${query}`, undefined, Number.POSITIVE_INFINITY);
  return form === "json" ? indented(await answer.json()) : Buffer.from(await answer.arrayBuffer()).toString("utf8");
}

async function ofStore(dataDir: string, asked: AskedReport): Promise<string> {
  const store = StoreReading.open(dataDir);
  try {
    const rows = store.soldRows();
    const timeZone = timeZoneOf(rows);
    const days = daysAsked(asked, systemClock.now(), timeZone);
    if ("problem" in days) throw new UserError(`--${days.name}: ${days.problem}`, EXIT.usage);
    return inForm(await makeReport(rows, days, timeZone), asked);
  } finally {
    store.close();
  }
}

function inForm(made: MadeReport, { form, language }: AskedReport): string {
  if (form === "text") return reportText(made, systemClock.now(), language);
  const record = reportRecord(made);
  return form === "csv" ? reportCsv(record) : indented(record);
}

function indented(record: unknown): string {
  return `${JSON.stringify(record, null, 2)}\n`;
}
