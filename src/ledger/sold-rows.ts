/** Signed receipts of a time with what they were asked for, for sums over many of them. */
import type { EntryState } from "./ledger.js";
import type { Period } from "./period.js";
import type { Db } from "./sqlite.js";

export interface SoldRow {
  readonly id: number;
  readonly state: EntryState;
  readonly number: string;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** JSON; null where the receipt was adopted. */
  readonly intent: string | null;
  /** JSON of an adopted receipt; null for others, whose intent says it all. */
  readonly adopted: string | null;
}

/** Rows that are read at a time: a sale must not wait for a report. */
const PAGE = 100;

export class SoldRows {
  constructor(private readonly db: Db) {}

  /** Oldest first, a page at a time. */
  *between(period: Period): Generator<SoldRow[]> {
    // Prepared when somebody asks: a service that only sells needs none of it.
    const pages = this.db.prepare<[Period & { after: string; afterId: number }], SoldRow>(
      `SELECT id, state, number, time, intent, CASE WHEN state = 'adopted' THEN answer END AS adopted FROM invoices
         WHERE time < @to AND (time, id) > (@after, @afterId) ORDER BY time, id LIMIT ${PAGE}`,
    );
    // One lower bound: of two SQLite would take the first, and read the beginning again for each page. Ids begin with 1.
    let [after, afterId] = [period.from, 0];
    for (;;) {
      const page = pages.all({ ...period, after, afterId });
      const last = page.at(-1);
      if (!last) return;
      yield page;
      [after, afterId] = [last.time, last.id];
    }
  }

  /** JSON of the newest one. */
  newestIntent(): string | undefined {
    const sql = "SELECT intent FROM invoices WHERE json_valid(intent) ORDER BY id DESC LIMIT 1";
    return this.db.prepare<[], string>(sql).pluck().get();
  }
}
