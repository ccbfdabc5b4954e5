/** Signed receipts of a period with their intents, for sums over many of them. */
import type { EntryState } from "./ledger.js";
import type { Period } from "./period.js";
import type { Db } from "./sqlite.js";

export interface SoldRow {
  readonly id: number;
  readonly state: EntryState;
  readonly number: string;
  /** ISO 8601, UTC. */
  readonly time: string;
  /** JSON; null if the receipt was adopted. */
  readonly intent: string | null;
  /** JSON of an adopted receipt; null for others, whose intent has everything. */
  readonly adopted: string | null;
}

/** Rows per page: a sale must not wait for a report. */
const PAGE = 100;

export class SoldRows {
  constructor(private readonly db: Db) {}

  /** Oldest first, page by page. */
  *between(period: Period): Generator<SoldRow[]> {
    // Prepared on demand: selling does not need it.
    const pages = this.db.prepare<[Period & { after: string; afterId: number }], SoldRow>(
      `SELECT id, state, number, time, intent, CASE WHEN state = 'adopted' THEN answer END AS adopted FROM invoices
         WHERE time < @to AND (time, id) > (@after, @afterId) ORDER BY time, id LIMIT ${PAGE}`,
    );
    // A single lower bound: with two, SQLite uses the first and reads the beginning again for each page. Ids begin with 1.
    let [after, afterId] = [period.from, 0];
    for (;;) {
      const page = pages.all({ ...period, after, afterId });
      const last = page.at(-1);
      if (!last) return;
      yield page;
      [after, afterId] = [last.time, last.id];
    }
  }

  /** JSON of the newest intent that is valid JSON. */
  newestIntent(): string | undefined {
    const sql = "SELECT intent FROM invoices WHERE json_valid(intent) ORDER BY id DESC LIMIT 1";
    return this.db.prepare<[], string>(sql).pluck().get();
  }
}
