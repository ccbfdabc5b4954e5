/** The console's requests that read the record of changes and erase old receipts (docs/years.md). */
import type { Clock } from "../base/clock.js";
import { shownChanges } from "../bookkeeping/changes/shown.js";
import type { Eraser } from "../bookkeeping/eraser.js";
import { parseTime } from "../fiscal/time.js";
import type { EndpointCall } from "../http/endpoint-router.js";
import type { ChangeLog } from "../ledger/change-log.js";
import type { ChangesRecord } from "./records/changes.js";

export function dataHandlers(changes: ChangeLog, eraser: Eraser, clock: Clock) {
  return {
    changes: async (): Promise<ChangesRecord> => {
      // Read all rows, because a difference needs the previous value, which may be in an old row.
      const shown = shownChanges(await changes.all());
      return { changes: shown.toReversed().slice(0, MOST) };
    },
    erasable: ({ query }: EndpointCall) => eraser.count(timeIn(query)),
    eraseData: async ({ body }: EndpointCall) => {
      const before = timeIn(body as { readonly before: string });
      return { erased: await eraser.erase({ before, by: "command", now: clock.now() }) };
    },
  };
}

/** Maximum number of changes that the console shows. `tillseal changes` shows all changes. */
const MOST = 200;

/** The schema has checked that it is a time. */
function timeIn({ before = "" }: { readonly before?: string }): number {
  return parseTime(before) ?? Number.NaN;
}
