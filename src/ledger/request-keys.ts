/**
 * A second way to know a RequestId, beside SQLite's index of RequestIds: a table of short hashes. A flipped bit in the index makes
 * an old sale unknown, and the card would sign it again. "Never seen" needs both to say so.
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
  // Four times as fast as createHash, which counts for a million RequestIds.
  const hex = typeof requestId === "string" ? hash("sha256", requestId) : Buffer.from(requestId).toString("hex");
  return Number.parseInt(hex.slice(0, 2 * BYTES), 16);
}

/** RequestIds that are compared at a time: a sale waits for one slice at most. */
const SLICE = 200;

/** One slice of the comparison of the index of RequestIds with their keys; the receipts are not read. */
export interface Compared {
  /** The last RequestId of the slice; undefined at the end of the index. */
  readonly last: string | undefined;
  readonly count: number;
  readonly damaged: boolean;
}

/** @param after "" at first, later the last RequestId of the slice before */
export function compareSlice(db: Db, after: string): Compared {
  // Both answers are in the index.
  const sql = `SELECT request_id FROM invoices WHERE request_id > ? ORDER BY request_id LIMIT ${SLICE}`;
  const ids = db.prepare<[string], string>(sql).pluck().all(after);
  const isKnown = db.prepare<[number], number>("SELECT 1 FROM request_keys WHERE key = ?").pluck();
  let last = after;
  for (const id of ids) {
    // A damaged index may lead in a circle.
    if (id <= last || isKnown.get(requestKey(id)) === undefined) return { last: undefined, count: 0, damaged: true };
    last = id;
  }
  return { last: ids.length === SLICE ? last : undefined, count: ids.length, damaged: false };
}

/** Number of RequestIds that the index must have at least: two of them may have the same key. */
export function expectedInIndex(db: Db): number {
  const sql = `SELECT (SELECT count(*) FROM request_keys)
    - (SELECT count(*) FROM erased WHERE request_id_hash IS NOT NULL)`;
  return db.prepare<[], number>(sql).pluck().get() ?? 0;
}

/** The whole comparison at once, for a store that is only read. */
export function isIndexDamaged(db: Db): boolean {
  let count = 0;
  for (let after: string | undefined = ""; after !== undefined; ) {
    const slice = compareSlice(db, after);
    if (slice.damaged) return true;
    count += slice.count;
    after = slice.last;
  }
  return count < expectedInIndex(db);
}
