/** Finds receipts for people. Every search uses an index, because a till may have a million receipts. */
import type { EpochMs } from "../base/epoch-ms.js";
import type { Entry } from "./ledger.js";
import { ALWAYS, type Period } from "./period.js";
import type { ReceiptRow } from "./receipt-row.js";
import type { Db } from "./sqlite.js";
import { Statements } from "./statements.js";
import { isIntact, type StoredEntry } from "./stored-entry.js";

export type StoredReceipt = ReceiptRow & Pick<Entry, "uid" | "intent" | "answer">;

const ROW = `id, state, request_id AS requestId, number, time, total_amount AS totalAmount,
  CASE WHEN json_valid(answer) THEN answer ->> '$.invoiceCounterExtension' END AS extension`;
const CHECKED = `${ROW}, uid, intent, answer, request_hash AS requestHash, total_counter AS totalCounter, signature, checksum`;

/** One page. The condition has a single lower bound: with two, SQLite reads the period from its beginning each time. */
const PAGE = "FROM invoices WHERE time < @to AND (time, id) > (@after, @afterId) ORDER BY time, id LIMIT";

/** Number of ids that are read at once to find damaged receipts. */
const PLACED = 10_000;

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

const SQL = {
  latest: `SELECT ${CHECKED} FROM invoices ORDER BY id DESC LIMIT ?`,
  during: `SELECT ${CHECKED} FROM invoices WHERE time >= @from AND time < @to ORDER BY time DESC LIMIT @limit`,
  // An unsigned entry has no time, and is found only if the search has no period.
  search: `WITH wanted AS (SELECT id, number, total_counter, total_amount, request_id FROM invoices
        WHERE coalesce(time, ${ALWAYS.from}) >= @from AND coalesce(time, ${ALWAYS.from}) < @to)
      SELECT ${CHECKED} FROM invoices WHERE id IN (
        SELECT id FROM wanted WHERE number = @text
        UNION SELECT id FROM (SELECT id FROM wanted WHERE total_counter = @counter LIMIT @limit)
        UNION SELECT id FROM (SELECT id FROM wanted
          WHERE total_amount IN (@amount, @otherAmount) ORDER BY id DESC LIMIT @limit)
        UNION SELECT id FROM (SELECT id FROM wanted
          WHERE request_id >= @text AND request_id < @text || char(1114111) ORDER BY request_id LIMIT @limit)
      ) ORDER BY (number IS @text OR request_id IS @text) DESC, id DESC LIMIT @limit`,
  count: "SELECT count(*) FROM invoices WHERE state = ?",
  lastCounter: "SELECT total_counter FROM invoices WHERE uid = ? AND number IS NOT NULL ORDER BY id DESC LIMIT 1",
  lastMrc: `SELECT answer ->> '$.mrc' FROM invoices WHERE state = 'complete' AND json_valid(answer)
      ORDER BY id DESC LIMIT 1`,
  numbered: `SELECT ${CHECKED} FROM invoices WHERE number = ? ORDER BY id DESC LIMIT 1`,
  rows: `SELECT ${CHECKED} FROM invoices WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id DESC`,
  newestIntent: "SELECT intent FROM invoices WHERE json_valid(intent) ORDER BY id DESC LIMIT 1",
  // Pages are small, so that no sale waits for a whole export or report: a receipt may have 1,000 items.
  page: `SELECT ${CHECKED} ${PAGE} 20`,
  // The newest receipts before a period, and the oldest ones after it. Most of a damaged disk's are intact.
  before: `SELECT ${CHECKED} FROM invoices WHERE time < @from ORDER BY time DESC LIMIT 5`,
  behind: `SELECT ${CHECKED} FROM invoices WHERE time >= @to ORDER BY time LIMIT 5`,
  // Reads indexes only.
  placed: `SELECT id FROM invoices WHERE state = 'complete' AND uid IN (SELECT uid FROM cards)
      AND id > @above AND id < @below AND id <= @above + ${PLACED}
    UNION SELECT id FROM invoices WHERE time IS NULL AND state = 'adopted' AND id > @above AND id < @below
      AND id <= @above + ${PLACED}`,
  newestId: "SELECT coalesce(max(id), 0) FROM invoices",
  checked: `SELECT ${CHECKED} FROM invoices WHERE id = ?`,
  erasedAt: "SELECT erased_at FROM erased WHERE id = ?",
};

export class Receipts {
  private readonly statements;

  constructor(db: Db) {
    this.statements = new Statements(db, SQL);
  }

  latest(limit: number): ReceiptRow[] {
    return this.statements.all<CheckedRow>("latest", limit).map(listed);
  }

  /** Receipts signed in a period, newest first, and the damaged ones among them that show another time, or none. */
  during(period: Period, limit: number): ReceiptRow[] {
    const rows = this.statements.all<CheckedRow>("during", { ...period, limit });
    const { above, below } = this.placeOf(period);
    const oldest = rows.length < limit ? above : (rows.at(-1)?.id ?? above);
    const damaged = this.damagedIn(Math.max(oldest, below - PLACED), below, new Set(rows.map(({ id }) => id)));
    return [...rows, ...damaged]
      .toSorted((a, b) => b.id - a.id)
      .slice(0, limit)
      .map(listed);
  }

  counts(): { complete: number; open: number; lost: number } {
    const count = (state: string) => this.statements.value<number>("count", state) ?? 0;
    return { complete: count("complete"), open: count("intent"), lost: count("lost") };
  }

  lastCounter(uid: string): number | undefined {
    return this.statements.value("lastCounter", uid);
  }

  /** The entries with these ids, newest first. */
  rows(ids: readonly number[]): ReceiptRow[] {
    if (ids.length === 0) return [];
    return this.statements.all<CheckedRow>("rows", JSON.stringify(ids)).map(listed);
  }

  numbered(number: string): ReceiptRow | undefined {
    const row = this.statements.get<CheckedRow>("numbered", number);
    return row && listed(row);
  }

  /** Finds receipts: exact matches first, then the newest ones. */
  find(sought: Sought, period: Period, limit: number): ReceiptRow[] {
    return this.statements.all<CheckedRow>("search", { ...sought, ...period, limit }).map(listed);
  }

  /** Device registration code (MRC) on the newest complete receipt with a readable answer. */
  lastMrc(): string | undefined {
    return this.statements.value("lastMrc");
  }

  erasedAt(id: number): EpochMs | undefined {
    return this.statements.value("erasedAt", id);
  }

  byId(id: number): StoredReceipt | undefined {
    const row = this.statements.get<CheckedRow>("checked", id);
    return row && checked(row);
  }

  /** JSON of the newest intent that is valid JSON. */
  newestIntent(): string | undefined {
    return this.statements.value("newestIntent");
  }

  /**
   * Signed receipts of a period, oldest first, page by page. The last pages have the damaged receipts that were signed
   * in this period, as their neighbours in the store show, and whose time cannot be read or has changed.
   */
  *between(period: Period): Generator<StoredReceipt[]> {
    // Ids begin with 1, so the id 0 comes before all of them.
    let [after, afterId] = [period.from, 0];
    const read = new Set<number>();
    for (;;) {
      const page = this.statements.all<CheckedRow>("page", { to: period.to, after, afterId });
      const last = page.at(-1);
      if (!last) break;
      yield page.map(checked);
      for (const { id } of page) read.add(id);
      [after, afterId] = [last.time ?? after, last.id];
    }
    const { above: first, below } = this.placeOf(period);
    for (let above = first; above + 1 < below; above += PLACED) yield this.damagedIn(above, below, read).map(checked);
  }

  /** The ids of the intact receipts beside a period, between which those of the period are. */
  private placeOf({ from, to }: Period): { above: number; below: number } {
    const intact = (rows: readonly CheckedRow[]) => rows.find(isIntact)?.id;
    const newest = this.statements.value<number>("newestId") ?? 0;
    return {
      above: intact(this.statements.all("before", { from })) ?? 0,
      below: intact(this.statements.all("behind", { to })) ?? newest + 1,
    };
  }

  /** Damaged receipts among the next ids, without the known ones. */
  private damagedIn(above: number, below: number, known: ReadonlySet<number>): CheckedRow[] {
    return this.statements
      .values<number>("placed", { above, below })
      .filter((id) => !known.has(id))
      .flatMap((id) => this.statements.get<CheckedRow>("checked", id) ?? [])
      .filter((row) => !isIntact(row));
  }
}

type CheckedRow = Omit<StoredReceipt, "intact"> & StoredEntry;

function listed(row: CheckedRow): ReceiptRow {
  const { id, state, requestId, number, time, totalAmount, extension } = row;
  return { id, state, requestId, number, intact: isIntact(row), time, totalAmount, extension };
}

function checked(row: CheckedRow): StoredReceipt {
  const { uid, intent, answer } = row;
  return { ...listed(row), uid, intent, answer };
}
