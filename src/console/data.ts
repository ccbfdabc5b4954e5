/** The console's requests that read the record of changes and erase old receipts (docs/years.md). */
import type { RequestHandler } from "express";
import type { Clock } from "../base/clock.js";
import { shownChanges } from "../bookkeeping/changes/shown.js";
import type { Eraser } from "../bookkeeping/eraser.js";
import { parseTime } from "../fiscal/time.js";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { rawBody } from "../http/body.js";
import type { ChangeLog } from "../ledger/change-log.js";
import type { Permit } from "./permit.js";
import type { ChangesRecord } from "./records/changes.js";
import { bodyFields } from "./reports.js";

export interface DataParts {
  readonly changes: ChangeLog;
  readonly eraser: Eraser;
  readonly clock: Clock;
}

export function dataHandlers({ changes, eraser, clock }: DataParts, permit: Permit) {
  const recorded: RequestHandler = async (_request, response) => {
    // Read all rows, because a difference needs the previous value, which may be in an old row.
    const record: ChangesRecord = {
      changes: shownChanges(await changes.all())
        .toReversed()
        .slice(0, MOST),
    };
    response.json(record);
  };
  const erasable: RequestHandler = async (request, response) => {
    response.json(await eraser.count(timeIn(request.query.before)));
  };
  const erase: RequestHandler = async (request, response) => {
    const { pin, ...fields } = bodyFields(request);
    const before = timeIn(fields.before);
    if (!(await permit(request, response, pin))) return;
    response.json({ erased: await eraser.erase({ before, by: "command", now: clock.now() }) });
  };
  return { changes: recorded, erasable, eraseData: [rawBody, erase] };
}

/** Maximum number of changes that the console shows. `tillseal changes` shows all changes. */
const MOST = 200;

/** @throws FiscalError 2806 if the value is not a time */
function timeIn(value: unknown): number {
  const time = typeof value === "string" ? parseTime(value) : undefined;
  if (time === undefined) throw FiscalError.of("2806", "before", "Expected a time, such as 2020-01-01T00:00:00Z");
  return time;
}
