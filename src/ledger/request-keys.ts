/**
 * A second way to know a RequestId, beside SQLite's index of RequestIds: a table of short hashes. A flipped bit in the
 * index makes an old sale unknown, and the card would sign it again. A RequestId counts as new only if neither the
 * index nor the table has it. Two sums, which change with each sale, show whether the index and the table still lead to
 * every sale.
 */
import { createHash, hash } from "node:crypto";
import type { Db } from "./sqlite.js";

/**
 * Bytes of a key. Short keys keep the table small. Of 500 stores with a million RequestIds each, one store has two
 * RequestIds with the same key.
 */
const BYTES = 6;
/** The sum over the index and the sum over the table are taken modulo this number. */
export const MODULUS = 2 ** 32;
/**
 * The largest prime below 2^32. The sums add the remainders of ids and keys by this prime, because a flipped bit of a
 * key always changes the remainder.
 */
export const PRIME = 4_294_967_291;
/** Separates several RequestIds in one text. A RequestId cannot contain a line end, because an HTTP header cannot. */
const SEPARATOR = "\n";

export function sha256(data: string | Uint8Array): Uint8Array {
  return createHash("sha256").update(data).digest();
}

/**
 * Returns the key of a RequestId.
 * @param requestId a RequestId, or its SHA-256, which is all that remains of an erased sale's RequestId
 */
function keyOf(requestId: string | Uint8Array): number {
  // hash() is four times as fast as createHash(), and the encoding "binary", with one character per byte, is faster
  // than "hex" and "buffer".
  const bytes =
    typeof requestId === "string" ? hash("sha256", requestId, "binary") : Buffer.from(requestId).toString("binary");
  let key = 0;
  for (let i = 0; i < BYTES; i++) key = key * 256 + bytes.charCodeAt(i);
  return key;
}

/**
 * The sum of 32-bit FNV-1a over each RequestId: SHA-256 of a million takes two seconds, and a flipped bit changes
 * FNV-1a too.
 * @param requestIds one RequestId, or several with {@link SEPARATOR} between them
 */
function sumOf(requestIds: string): number {
  const BASIS = 0x811c_9dc5;
  const separator = SEPARATOR.charCodeAt(0);
  let sum = 0;
  let hashed = BASIS;
  for (let i = 0; i < requestIds.length; i++) {
    const code = requestIds.charCodeAt(i);
    if (code === separator) {
      sum = (sum + hashed) | 0;
      hashed = BASIS;
    } else {
      hashed = Math.imul(hashed ^ code, 0x0100_0193);
    }
  }
  return (sum + hashed) >>> 0;
}

/**
 * What an entry of the index adds to the sum. The id is a part of it, because an entry with a wrong id leads to another
 * sale.
 */
function sumOfEntry(id: number, requestId: string): number {
  return (sumOf(requestId) + (id % PRIME)) % MODULUS;
}

/** The keys of a store's RequestIds. The caller changes a key and its entry in the same transaction. */
export class RequestKeys {
  private readonly statements;

  constructor(db: Db) {
    this.statements = {
      has: db.prepare<[number], number>("SELECT 1 FROM request_keys WHERE key = ?").pluck(),
      add: db.prepare<[number]>("INSERT OR IGNORE INTO request_keys VALUES (?)"),
      remove: db.prepare<[number]>("DELETE FROM request_keys WHERE key = ?"),
      change: db.prepare<[number, number]>(
        `UPDATE request_sums SET ids = (ids + ?) % ${MODULUS}, keys = (keys + ?) % ${MODULUS}`,
      ),
    };
  }

  has(requestId: string): boolean {
    return this.statements.has.get(keyOf(requestId)) !== undefined;
  }

  /** Adds the key of a new entry. */
  add(id: number, requestId: string): void {
    const key = keyOf(requestId);
    const { changes } = this.statements.add.run(key);
    this.statements.change.run(sumOfEntry(id, requestId), changes * (key % PRIME));
  }

  /** Removes the key of a sale that was not signed. */
  remove(id: number, requestId: string): void {
    const key = keyOf(requestId);
    const { changes } = this.statements.remove.run(key);
    this.statements.change.run(MODULUS - sumOfEntry(id, requestId), changes * (MODULUS - (key % PRIME)));
  }

  /** Takes an erased entry out of the sum over the index. The key of the entry stays, so that repeats are refused. */
  erase(id: number, requestId: string): void {
    this.statements.change.run(MODULUS - sumOfEntry(id, requestId), 0);
  }
}

/**
 * Rows that are read in one step: a step takes about 1 ms of processor time. The sum over a step stays far below 2^53,
 * above which JavaScript's numbers are inexact.
 */
const SLICE = 2_000;

interface SliceOf<V> {
  readonly rows: number;
  readonly last: V;
  /** Sum of the ids or keys in the slice, each modulo {@link PRIME}. */
  readonly sum: number;
}

interface IdSlice extends SliceOf<string> {
  readonly requestIds: string;
}

// Each key is also looked up by itself: reading in order does not use the keys in inner pages, which lead a look-up to
// its page, and would not notice damage there.
const KEYS = `SELECT count(*) AS rows, max(key) AS last, sum(key % ${PRIME}) AS sum
  FROM (SELECT key FROM request_keys AS each
    WHERE key > ? AND EXISTS (SELECT 1 FROM request_keys WHERE key = +each.key) ORDER BY key LIMIT ${SLICE})`;
// A flipped bit can make a RequestId a BLOB, which no look-up finds. The id of such a row does not count.
const IDS = `SELECT count(*) AS rows, max(request_id) AS last,
    sum(iif(typeof(request_id) = 'text', id % ${PRIME}, 0)) AS sum,
    group_concat(request_id, char(${SEPARATOR.charCodeAt(0)})) AS requestIds
  FROM (SELECT id, request_id FROM invoices INDEXED BY sqlite_autoindex_invoices_1
    WHERE request_id > ? ORDER BY request_id LIMIT ${SLICE})`;

/**
 * Compares the index of RequestIds and the table of their keys with their sums; the receipts are not read.
 * @param snapshot a connection in a transaction, so that sales in the meantime do not count
 * @returns whether the index or the table is damaged
 */
export function* compareIndex(snapshot: Db): Generator<undefined, boolean> {
  const sums = { ids: 0, keys: 0 };
  for (const { sum } of slicesOf<number, SliceOf<number>>(snapshot, KEYS, -1)) {
    sums.keys = (sums.keys + sum) % MODULUS;
    yield;
  }
  for (const { sum, requestIds } of slicesOf<string, IdSlice>(snapshot, IDS, "")) {
    sums.ids = (sums.ids + sum + sumOf(requestIds)) % MODULUS;
    yield;
  }
  const kept = snapshot.prepare<[], typeof sums>("SELECT ids, keys FROM request_sums").get();
  return sums.ids !== kept?.ids || sums.keys !== kept.keys;
}

/** Runs all steps of {@link compareIndex} at once. @returns whether the index or the table is damaged */
export function isIndexDamaged(snapshot: Db): boolean {
  const steps = compareIndex(snapshot);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Whether the table of keys does not match its sum. */
export function areKeysDamaged(snapshot: Db): boolean {
  let keys = 0;
  for (const { sum } of slicesOf<number, SliceOf<number>>(snapshot, KEYS, -1)) keys = (keys + sum) % MODULUS;
  return keys !== snapshot.prepare<[], number>("SELECT keys FROM request_sums").pluck().get();
}

/**
 * Yields all rows in slices.
 * @param sql reads the rows after a value, in their order
 * @param first a value before all others
 */
function* slicesOf<V extends string | number, S extends SliceOf<V>>(db: Db, sql: string, first: V): Generator<S> {
  const next = db.prepare<[V], S>(sql);
  let last = first;
  for (;;) {
    const slice = next.get(last);
    if (!slice || slice.rows === 0) return;
    yield slice;
    // Stop if the values do not grow: a damaged index could return the same rows again and again.
    if (slice.rows < SLICE || !isBefore(last, slice.last)) return;
    last = slice.last;
  }
}

/** Whether a value comes before another in SQLite's order, which compares texts by their bytes. */
function isBefore<V extends string | number>(one: V, other: V): boolean {
  if (typeof one !== "string") return one < other;
  return Buffer.compare(Buffer.from(one), Buffer.from(other as string)) < 0;
}
