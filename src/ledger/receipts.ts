/** Finds receipts for people. Every search uses an index, because a till may have a million receipts. */
import type { EpochMs } from "../base/epoch-ms.js";
import { LateStatements } from "./late-statements.js";
import { ALWAYS, type Period } from "./period.js";
import type { ReceiptRow } from "./receipt-row.js";
import { SoldRows } from "./sold-rows.js";
import type { Db } from "./sqlite.js";

export interface StoredReceipt extends ReceiptRow {
  /** UID of the card. */
  readonly uid: string;
  /** JSON; null if the receipt was adopted. */
  readonly intent: string | null;
  /** JSON, without the QR code; null until signed. */
  readonly answer: string | null;
}

export interface CheckedReceipt extends StoredReceipt {
  /** False if the entry is damaged. */
  readonly intact: boolean;
}

const ROW = `id, state, request_id AS requestId, number, time, total_amount AS totalAmount,
  CASE WHEN json_valid(answer) THEN answer ->> '$.invoiceCounterExtension' END AS extension`;
const RECEIPT = `${ROW}, uid, intent, answer`;
/** The SQL function checksum() is defined in database.ts. */
const INTACT = `checksum = checksum(request_id, request_hash, uid, state, intent, total_counter, number, signature,
  answer) AS intact`;
/** Rows per page. Pages are small, so that no sale waits for a whole export: a receipt may have 1,000 items. */
const PAGE = 20;

/** What a search text may mean. */
export interface Sought {
  /** The text itself: the number of a receipt, or the beginning of a RequestId. */
  readonly text: string;
  /** The text as a part of the cashier, the buyer or an article, folded as in the index of receipts. */
  readonly words: string;
  /** The text as a total counter; undefined if the text cannot be one. */
  readonly counter: number | undefined;
  /** The text as an amount, in the decimal form of an answer; undefined if the text is not an amount. */
  readonly amount: string | undefined;
  readonly otherAmount: string | undefined;
}

function statementsOf(db: LateStatements) {
  return {
    latest: db.prepare<[number], ReceiptRow>(`SELECT ${ROW} FROM invoices ORDER BY id DESC LIMIT ?`),
    during: db.prepare<[Period & { limit: number }], ReceiptRow>(
      `SELECT ${ROW} FROM invoices WHERE time >= @from AND time < @to ORDER BY time DESC LIMIT @limit`,
    ),
    // An unsigned entry has no time, and is found only if the search has no period.
    search: db.prepare<[Sought & Period & { limit: number }], ReceiptRow>(
      `WITH wanted AS (SELECT id, number, total_counter, total_amount, request_id FROM invoices
           WHERE coalesce(time, ${ALWAYS.from}) >= @from AND coalesce(time, ${ALWAYS.from}) < @to)
         SELECT ${ROW} FROM invoices WHERE id IN (
           SELECT id FROM wanted WHERE number = @text
           UNION SELECT id FROM (SELECT id FROM wanted WHERE total_counter = @counter LIMIT @limit)
           UNION SELECT id FROM (SELECT id FROM wanted
             WHERE total_amount IN (@amount, @otherAmount) ORDER BY id DESC LIMIT @limit)
           UNION SELECT id FROM (SELECT id FROM wanted
             WHERE request_id >= @text AND request_id < @text || char(1114111) ORDER BY request_id LIMIT @limit)
         ) ORDER BY (number IS @text OR request_id IS @text) DESC, id DESC LIMIT @limit`,
    ),
    count: db.prepare<[string], { count: number }>("SELECT count(*) AS count FROM invoices WHERE state = ?"),
    lastCounter: db.prepare<[string], { totalCounter: number }>(
      `SELECT total_counter AS totalCounter FROM invoices
         WHERE uid = ? AND number IS NOT NULL ORDER BY id DESC LIMIT 1`,
    ),
    lastMrc: db.prepare<[], { mrc: string }>(
      `SELECT answer ->> '$.mrc' AS mrc FROM invoices WHERE state = 'complete' AND json_valid(answer)
         ORDER BY id DESC LIMIT 1`,
    ),
    numbered: db.prepare<[string], ReceiptRow>(`SELECT ${ROW} FROM invoices WHERE number = ? ORDER BY id DESC LIMIT 1`),
    rows: db.prepare<[string], ReceiptRow>(
      `SELECT ${ROW} FROM invoices WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC`,
    ),
    answer: db.prepare<[string], { answer: string | null }>(
      "SELECT answer FROM invoices WHERE number = ? ORDER BY id DESC LIMIT 1",
    ),
    byId: db.prepare<[number], StoredReceipt & { intact: number }>(
      `SELECT ${RECEIPT}, ${INTACT} FROM invoices WHERE id = ?`,
    ),
    page: db.prepare<[Period & { after: number; afterId: number }], StoredReceipt & { time: number }>(
      `SELECT ${RECEIPT} FROM invoices WHERE time < @to AND (time, id) > (@after, @afterId)
         ORDER BY time, id LIMIT ${PAGE}`,
    ),
  };
}

export class Receipts {
  private readonly statements;

  /** Reads the rows for reports. */
  readonly soldRows: SoldRows;

  constructor(private readonly db: Db) {
    this.soldRows = new SoldRows(db);
    this.statements = statementsOf(new LateStatements(db));
  }

  /** The newest entries, newest first. */
  latest(limit: number): ReceiptRow[] {
    return this.statements.latest.all(limit);
  }

  /** Receipts signed in a period, newest first. */
  during(period: Period, limit: number): ReceiptRow[] {
    return this.statements.during.all({ ...period, limit });
  }

  /** Numbers of entries, by state. */
  counts(): { complete: number; open: number; lost: number } {
    const count = (state: string) => this.statements.count.get(state)?.count ?? 0;
    return { complete: count("complete"), open: count("intent"), lost: count("lost") };
  }

  /** Counter of the newest receipt of a card. */
  lastCounter(uid: string): number | undefined {
    return this.statements.lastCounter.get(uid)?.totalCounter;
  }

  /** The answer of the newest receipt with this number, JSON. */
  answer(number: string): string | undefined {
    return this.statements.answer.get(number)?.answer ?? undefined;
  }

  /** The entries with these ids, newest first. */
  rows(ids: readonly number[]): ReceiptRow[] {
    return ids.length === 0 ? [] : this.statements.rows.all(JSON.stringify(ids));
  }

  /** The newest receipt with this number. */
  numbered(number: string): ReceiptRow | undefined {
    return this.statements.numbered.get(number);
  }

  /** Finds receipts: exact matches first, then the newest ones. */
  find(sought: Sought, period: Period, limit: number): ReceiptRow[] {
    return this.statements.search.all({ ...sought, ...period, limit });
  }

  /** Device registration code (MRC) on the newest complete receipt with a readable answer. */
  lastMrc(): string | undefined {
    return this.statements.lastMrc.get()?.mrc;
  }

  /** When the receipt with this id was erased. */
  erasedAt(id: number): EpochMs | undefined {
    return this.db.prepare<[number], number>("SELECT erased_at FROM erased WHERE id = ?").pluck().get(id);
  }

  byId(id: number): CheckedReceipt | undefined {
    const row = this.statements.byId.get(id);
    return row && { ...row, intact: row.intact === 1 };
  }

  /** Signed receipts of a period, oldest first, page by page. */
  *between(period: Period): Generator<StoredReceipt[]> {
    // The query has a single lower bound. With two, SQLite would use only the first one and read the period from its
    // beginning for each page. Ids begin with 1, so the id 0 comes before all of them.
    let [after, afterId] = [period.from, 0];
    for (;;) {
      const page = this.statements.page.all({ ...period, after, afterId });
      const last = page.at(-1);
      if (!last) return;
      yield page;
      [after, afterId] = [last.time, last.id];
    }
  }
}
