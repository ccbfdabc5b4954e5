/** Looking receipts up, for people. Every way goes through an index: a till has a million of them one day. */
import type { Period } from "./period.js";
import type { ReceiptRow } from "./receipt-row.js";
import { SoldRows } from "./sold-rows.js";
import type { Db } from "./sqlite.js";

export interface StoredReceipt extends ReceiptRow {
  /** Of the card. */
  readonly uid: string;
  /** JSON; null where the receipt was adopted. */
  readonly intent: string | null;
  /** JSON, without the QR code; null until signed. */
  readonly answer: string | null;
}

export interface CheckedReceipt extends StoredReceipt {
  /** False where it is not what was written. */
  readonly intact: boolean;
}

const ROW = `id, state, request_id AS requestId, number, time, total_amount AS totalAmount,
  CASE WHEN json_valid(answer) THEN answer ->> '$.invoiceCounterExtension' END AS extension`;
const RECEIPT = `${ROW}, uid, intent, answer`;
/** checksum() is of database.ts. */
const INTACT = `checksum = checksum(request_id, request_hash, uid, state, intent, total_counter, number, signature,
  answer) AS intact`;
/** Rows that are read at a time: a sale must not wait for an export. */
const PAGE = 200;

/** What somebody looks for; any of them may be meant. */
export interface Sought {
  /** A number, or the beginning of a RequestId. */
  readonly text: string;
  /** Total counter; undefined where the text is none. */
  readonly counter: number | undefined;
  /** Decimal texts as in an answer, as which the text can be read; undefined where it cannot. */
  readonly amount: string | undefined;
  readonly otherAmount: string | undefined;
}

function statementsOf(db: Db) {
  return {
    latest: db.prepare<[number], ReceiptRow>(`SELECT ${ROW} FROM invoices ORDER BY id DESC LIMIT ?`),
    during: db.prepare<[Period & { limit: number }], ReceiptRow>(
      `SELECT ${ROW} FROM invoices WHERE time >= @from AND time < @to ORDER BY time DESC LIMIT @limit`,
    ),
    // One that is not signed has no time, and is in no period but the whole.
    found: db.prepare<[Sought & Period & { limit: number }], ReceiptRow>(
      `WITH wanted AS (SELECT id, number, total_counter, total_amount, request_id FROM invoices
           WHERE coalesce(time, '') >= @from AND coalesce(time, '') < @to)
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
    page: db.prepare<[Period & { after: string; afterId: number }], StoredReceipt & { time: string }>(
      `SELECT ${RECEIPT} FROM invoices WHERE time < @to AND (time, id) > (@after, @afterId)
         ORDER BY time, id LIMIT ${PAGE}`,
    ),
  };
}

export class Receipts {
  private prepared: ReturnType<typeof statementsOf> | undefined;

  /** For reports. */
  readonly soldRows: SoldRows;

  constructor(private readonly db: Db) {
    this.soldRows = new SoldRows(db);
  }

  /** For the console; a service without an open console reads none of them. */
  private get statements() {
    this.prepared ??= statementsOf(this.db);
    return this.prepared;
  }

  /** The newest ones. */
  latest(limit: number): ReceiptRow[] {
    return this.statements.latest.all(limit);
  }

  /** Signed in a time, newest first. */
  during(period: Period, limit: number): ReceiptRow[] {
    return this.statements.during.all({ ...period, limit });
  }

  /** How many there are, by state. */
  counts(): { complete: number; open: number; lost: number } {
    const count = (state: string) => this.statements.count.get(state)?.count ?? 0;
    return { complete: count("complete"), open: count("intent"), lost: count("lost") };
  }

  /** Counter of the newest receipt of a card. */
  lastCounter(uid: string): number | undefined {
    return this.statements.lastCounter.get(uid)?.totalCounter;
  }

  /** JSON of the newest receipt with a number. */
  answer(number: string): string | undefined {
    return this.statements.answer.get(number)?.answer ?? undefined;
  }

  /** Newest first. */
  rows(ids: readonly number[]): ReceiptRow[] {
    return ids.length === 0 ? [] : this.statements.rows.all(JSON.stringify(ids));
  }

  /** The newest receipt with a number. */
  numbered(number: string): ReceiptRow | undefined {
    return this.statements.numbered.get(number);
  }

  /** What has exactly this text comes first, then the newest. */
  find(sought: Sought, period: Period, limit: number): ReceiptRow[] {
    return this.statements.found.all({ ...sought, ...period, limit });
  }

  /** Registration code of the device on the newest receipt that was made here and can be read. */
  lastMrc(): string | undefined {
    return this.statements.lastMrc.get()?.mrc;
  }

  /** ms since the epoch: when the receipt with this id was erased; undefined where it was not. */
  erasedAt(id: number): number | undefined {
    return this.db.prepare<[number], number>("SELECT erased_at FROM erased WHERE id = ?").pluck().get(id);
  }

  /** Time of the newest receipt that a proof of audit covers: ISO 8601, UTC. */
  newestProven(): string | undefined {
    const sql = "SELECT max(time) FROM invoices WHERE id IN (SELECT proven_to FROM audit_progress)";
    return this.db.prepare<[], string | null>(sql).pluck().get() ?? undefined;
  }

  byId(id: number): CheckedReceipt | undefined {
    const found = this.statements.byId.get(id);
    return found && { ...found, intact: found.intact === 1 };
  }

  /** Signed ones of a time, oldest first, a page at a time. */
  *between(period: Period): Generator<StoredReceipt[]> {
    // One lower bound: of two SQLite would take the first, and read the beginning again for each page. Ids begin with 1.
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
