/**
 * Erases receipts. The table `erased` keeps what is needed to refuse repeats and to show counters without gaps. Entries
 * that are still needed stay: sales without a proof of audit, sales in doubt, sales of open reports, the last receipt
 * of each card, and damaged entries.
 */
import type { EpochMs } from "../base/epoch-ms.js";
import { checksumOf, sha256 } from "./checksum.js";
import type { Db } from "./database.js";
import type { Entry } from "./ledger.js";
import { ALWAYS } from "./period.js";
import { PROGRESS_SQL, sealIn, unsealedIn } from "./row-checksums.js";
import { ENTRIES } from "./sql.js";
import { Statements } from "./statements.js";
import { isIntact, type StoredEntry } from "./stored-entry.js";

interface ErasedEntry extends Pick<Entry, "id" | "requestHash" | "uid" | "totalCounter"> {
  /** SHA-256 of the RequestId; null if there was none. */
  readonly requestIdHash: Uint8Array | null;
  readonly state: "complete" | "lost" | "unproven" | "adopted";
  /** SHA-256 of the card's answer; null if there was none. */
  readonly receiptHash: Uint8Array | null;
  readonly erasedAt: EpochMs;
}
export type StoredErased = ErasedEntry & { readonly checksum: Uint8Array };

/** Time and id of the entry after which the next slice begins. */
export interface ErasingPlace {
  readonly time: number;
  readonly id: number;
}
export const BEGINNING: ErasingPlace = { time: ALWAYS.from, id: 0 };

/** An entry, and when it was signed or, if it was not, when the sale was asked for. */
type Dated = StoredEntry & { readonly at: EpochMs };

const [COLUMNS, FROM] = ENTRIES.split(" FROM ") as [string, string];
/** Time of a lost or unproven sale. A sale with a damaged intent has no time and is never erased. */
const ASKED_AT = "CASE WHEN json_valid(intent) THEN intent ->> '$.sdcTime' END";

const SQL = {
  provenTo: PROGRESS_SQL.provenTo,
  signed: `${COLUMNS}, time AS at FROM ${FROM}
    WHERE time < @before AND (time, id) > (@time, @id) AND state IN ('complete', 'adopted') ORDER BY time, id LIMIT @limit`,
  unsigned: `${COLUMNS}, ${ASKED_AT} AS at FROM ${FROM} WHERE state IN ('lost', 'unproven') AND ${ASKED_AT} < @before`,
  last: "SELECT id FROM invoices WHERE uid = ? AND number IS NOT NULL ORDER BY id DESC LIMIT 1",
  newest: "SELECT max(id) FROM invoices",
  isReported: `SELECT 1 FROM reports WHERE confirmed_at IS NULL AND uid = @uid
    AND (request_id = @requestId OR (from_counter <= @totalCounter AND coalesce(to_counter, from_counter) >= @totalCounter))`,
  keep: `INSERT INTO erased VALUES
    (@id, @requestIdHash, @requestHash, @uid, @state, @totalCounter, @receiptHash, @erasedAt, @checksum)`,
  remove: "DELETE FROM invoices WHERE id = ?",
  forget: `UPDATE reports SET request_id = NULL, checksum = ${unsealedIn("reports")} WHERE request_id = ?`,
  sealReports: sealIn("reports"),
};

export class Erasing {
  private readonly statements;

  constructor(db: Db) {
    this.statements = new Statements(db, SQL);
  }

  /**
   * Reads the next entries from before a time. Lost and unproven sales have no index by time. There are few, so all of
   * them are in the first slice.
   */
  slice(before: EpochMs, place: ErasingPlace, limit: number) {
    const signed = this.statements.all<Dated>("signed", { before, ...place, limit });
    const last = signed.at(-1);
    // Where the next slice begins; undefined after the last slice.
    const next = last && signed.length === limit ? { time: last.at, id: last.id } : undefined;
    const unsigned = place === BEGINNING ? this.statements.all<Dated>("unsigned", { before }) : [];
    const entries = [...unsigned, ...signed];
    return { entries, erasable: entries.filter(this.mayGo()), next };
  }

  /** Erases entries. The caller has begun a transaction. */
  erase(entries: readonly StoredEntry[], now: EpochMs): void {
    const { statements } = this;
    for (const entry of entries) {
      const kept = keptOf(entry, now);
      statements.run("keep", { ...kept, checksum: checksumOfErased(kept) });
      statements.run("remove", entry.id);
      if (entry.requestId !== null) statements.run("forget", entry.requestId);
    }
    statements.run("sealReports");
  }

  private mayGo(): (entry: StoredEntry) => boolean {
    const { statements } = this;
    const cards = new Map<string, { provenTo: number; last: number }>();
    // Keep the newest entry: the next id follows from its id, and ids are never reused.
    const newest = statements.value<number>("newest") ?? 0;
    return (entry) => {
      const { id, uid, requestId, totalCounter } = entry;
      const known = cards.get(uid) ?? {
        provenTo: statements.value<number>("provenTo", { uid }) ?? 0,
        last: statements.value<number>("last", uid) ?? 0,
      };
      cards.set(uid, known);
      if (id > known.provenTo || id === known.last || id === newest || !isIntact(entry)) return false;
      return statements.value("isReported", { uid, requestId, totalCounter }) === undefined;
    };
  }
}

function keptOf(
  { id, requestId, requestHash, uid, state, totalCounter, signature }: StoredEntry,
  now: number,
): ErasedEntry {
  if (state === "intent" || state === "erased") throw new Error(`entry ${id} is ${state} and cannot be erased`);
  const requestIdHash = requestId === null ? null : sha256(requestId);
  const receiptHash = signature === null ? null : sha256(signature);
  return { id, requestIdHash, requestHash, uid, state, totalCounter, receiptHash, erasedAt: now };
}

export function checksumOfErased(entry: ErasedEntry): Uint8Array {
  const { id, requestIdHash, requestHash, uid, state, totalCounter, receiptHash, erasedAt } = entry;
  return checksumOf([id, requestIdHash, requestHash, uid, state, totalCounter, receiptHash, erasedAt]);
}
