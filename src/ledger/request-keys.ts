/**
 * A second way to know a RequestId, beside SQLite's index of RequestIds: a table of short hashes. A flipped bit in the index makes
 * an old sale unknown, and the card would sign it again. "Never seen" needs both to say so.
 */
import { createHash } from "node:crypto";
import type { Db } from "./sqlite.js";

/** Bytes of the hash: short keys keep the table small, and two of a million RequestIds have the same key once in 500 stores. */
const BYTES = 6;

export function sha256(data: string | Uint8Array): Uint8Array {
  return createHash("sha256").update(data).digest();
}

/** @param requestId or its SHA-256, which is all that remains of an erased sale */
export function requestKey(requestId: string | Uint8Array): number {
  const hash = typeof requestId === "string" ? sha256(requestId) : requestId;
  return Buffer.from(hash).readUIntBE(0, BYTES);
}

/** RequestIds that are compared at a time: other queries go on in between. */
const SLICE = 1_000;

/**
 * Compares the index of RequestIds with the keys, without reading the receipts.
 * @returns what is wrong, for people; undefined if nothing is
 */
export function indexProblem(db: Db): string | undefined {
  // Both answers are in the index.
  const next = db
    .prepare<[string], string>(
      `SELECT request_id FROM invoices WHERE request_id > ? ORDER BY request_id LIMIT ${SLICE}`,
    )
    .pluck();
  const isKnown = db.prepare<[number], number>("SELECT 1 FROM request_keys WHERE key = ?").pluck();
  let [last, count] = ["", 0];
  for (let ids = next.all(last); ids.length > 0; ids = next.all(last)) {
    for (const id of ids) {
      // A damaged index may lead in a circle.
      if (id <= last || isKnown.get(requestKey(id)) === undefined) return INDEX_DAMAGED;
      last = id;
    }
    count += ids.length;
  }
  const erased = "SELECT count(*) FROM erased WHERE request_id_hash IS NOT NULL";
  const gone = db.prepare<[], number>(erased).pluck().get() ?? 0;
  const keys = db.prepare<[], number>("SELECT count(*) FROM request_keys").pluck().get() ?? 0;
  // Two RequestIds may have the same key.
  return count + gone < keys ? INDEX_DAMAGED : undefined;
}

/** For people. */
export const INDEX_DAMAGED = "the index of RequestIds is damaged, or entries were removed";
