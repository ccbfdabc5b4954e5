/**
 * A second way to know a RequestId, beside SQLite's index of RequestIds: a table of short hashes. A flipped bit in the index makes
 * an old sale unknown, and the card would sign it again. A RequestId counts as new only if both do not have it.
 */
import { createHash, hash } from "node:crypto";
import type { Db } from "./sqlite.js";

/** Bytes of the hash: short keys keep the table small, and two of a million RequestIds have the same key once in 500 stores. */
const BYTES = 6;

export function sha256(data: string | Uint8Array): Uint8Array {
  return createHash("sha256").update(data).digest();
}

/** @param requestId or its SHA-256, which is all that remains of an erased sale */
export function requestKey(requestId: string | Uint8Array): number {
  // hash() is four times as fast as createHash(), and "binary", a character a byte, is faster than "hex" and "buffer". This counts for
  // a million RequestIds.
  const bytes =
    typeof requestId === "string" ? hash("sha256", requestId, "binary") : Buffer.from(requestId).toString("binary");
  let key = 0;
  for (let i = 0; i < BYTES; i++) key = key * 256 + bytes.charCodeAt(i);
  return key;
}

/** Rows that are read at a time: a sale waits for one slice at most. */
const KEYS_SLICE = 5000;
const IDS_SLICE = 500;

/**
 * Compares the index of RequestIds with their keys; the receipts are not read. Each step takes a few ms of processor time.
 * Sales may change the store between two steps.
 * @param gone number of RequestIds that have left the index so far
 * @returns whether the index is damaged
 */
export function* compareIndex(db: Db, gone: () => number): Generator<undefined, boolean> {
  const before = gone();
  // Half the size of a growing array, and nothing is copied. Keys of sales in the meantime may find no place: those are looked up.
  const places = new Float64Array(db.prepare<[], number>("SELECT count(*) FROM request_keys").pluck().get() ?? 0);
  let filled = 0;
  for (const slice of slicesOf<number>(db, "request_keys", "key", KEYS_SLICE)) {
    const fitting = slice.slice(0, places.length - filled);
    places.set(fitting, filled);
    filled += fitting.length;
    yield;
  }
  const keys = places.subarray(0, filled);
  const isNew = db.prepare<[number], number>("SELECT 1 FROM request_keys WHERE key = ?").pluck();
  let count = 0;
  let last = "";
  for (const slice of slicesOf<string>(db, "invoices", "request_id", IDS_SLICE)) {
    for (const id of slice) {
      const key = requestKey(id);
      // A damaged index may lead in a circle.
      if (id <= last || (!isAmong(keys, key) && isNew.get(key) === undefined)) return true;
      last = id;
    }
    count += slice.length;
    yield;
  }
  // Two RequestIds may have the same key, and sales of the meantime only add to the count.
  const erased = db.prepare<[], number>("SELECT count(*) FROM erased WHERE request_id_hash IS NOT NULL").pluck();
  return count < keys.length - (erased.get() ?? 0) - (gone() - before);
}

/** The whole comparison at once, for a store that is only read. */
export function isIndexDamaged(db: Db): boolean {
  const steps = compareIndex(db, () => 0);
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** The values of an indexed column, in slices; in their order unless the index is damaged. */
function* slicesOf<V extends string | number>(db: Db, table: string, column: string, size: number): Generator<V[]> {
  const sql = `SELECT ${column} FROM ${table} WHERE ${column} > ? ORDER BY ${column} LIMIT ${size}`;
  const next = db.prepare<[V], V>(sql).pluck();
  let last = (column === "key" ? -1 : "") as V;
  for (;;) {
    const slice = next.all(last);
    yield slice;
    const end = slice.at(-1);
    if (slice.length < size || end === undefined || end <= last) return;
    last = end;
  }
}

/** @param keys in their order; hashes are spread evenly, so that a guess is nearly right */
function isAmong(keys: Float64Array, key: number): boolean {
  let low = 0;
  let high = keys.length - 1;
  while (low <= high) {
    const first = keys[low] ?? 0;
    const last = keys[high] ?? 0;
    if (key < first || key > last) return false;
    const at = first === last ? low : low + Math.floor(((key - first) / (last - first)) * (high - low));
    const guess = keys[at] ?? 0;
    if (guess === key) return true;
    if (guess < key) low = at + 1;
    else high = at - 1;
  }
  return false;
}
