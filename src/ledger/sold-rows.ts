/** Signed receipts of a period with their intents, for sums over many of them. */
import type { EpochMs } from "../base/epoch-ms.js";
import type { EntryState } from "./ledger.js";
import type { Period } from "./period.js";
import type { Db } from "./sqlite.js";

export interface SoldRow {
  readonly id: number;
  readonly state: EntryState;
  readonly number: string;
  /** The time that the card signed. */
  readonly time: EpochMs;
  /** JSON; null if the receipt was adopted. */
  readonly intent: string | null;
  /** The answer of an adopted receipt, JSON; null for other receipts, whose intent has everything. */
  readonly adopted: string | null;
}

/** Rows per page. Pages are small, so that no sale waits for a whole report. */
const PAGE = 100;

export class SoldRows {
  constructor(private readonly db: Db) {}

  /** Yields the signed receipts of a period, oldest first, page by page. */
  *between(period: Period): Generator<SoldRow[]> {
    // The statement is prepared only here, because sales do not need it.
    const pages = this.db.prepare<[Period & { after: number; afterId: number }], SoldRow>(
      `SELECT id, state, number, time, intent, CASE WHEN state = 'adopted' THEN answer END AS adopted FROM invoices
         WHERE time < @to AND (time, id) > (@after, @afterId) ORDER BY time, id LIMIT ${PAGE}`,
    );
    // The query has a single lower bound. With two, SQLite would use only the first one and read the period from its
    // beginning for each page. Ids begin with 1, so the id 0 comes before all of them.
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
