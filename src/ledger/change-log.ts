/** The record of changes of settings, rates, parameters and clock (docs/years.md, "The record of changes"). */
import type { EpochMs } from "../base/epoch-ms.js";
import type { ChangeFacts, ChangeKind } from "./change-kind.js";
import { checksumOf } from "./checksum.js";
import type { Db } from "./database.js";
import { SQL } from "./sql.js";
import type { SqliteAccess } from "./sqlite-access.js";

type NewChange = Pick<ChangeRow, "at" | "kind"> & { readonly what: ChangeFacts };

export type { ChangeFacts, ChangeKind } from "./change-kind.js";

export interface ChangeRow {
  readonly id: number;
  readonly at: EpochMs;
  readonly kind: ChangeKind;
  /** JSON of {@link ChangeFacts}. */
  readonly what: string;
  /** Id of the ledger's newest entry when the row was written. */
  readonly entry: number;
  readonly checksum: Uint8Array;
}

export function checksumOfChange({ id, at, kind, what, entry }: Omit<ChangeRow, "checksum">): Uint8Array {
  return checksumOf([id, at, kind, what, entry]);
}

/** Appends a row to the record. The caller has begun the transaction, which may write other things too. */
export function appendChange(db: Db, { at, kind, what }: NewChange): void {
  const id = (db.prepare<[], number>("SELECT max(id) FROM changes").pluck().get() ?? 0) + 1;
  const entry = db.prepare<[], number>("SELECT coalesce(max(id), 0) FROM invoices").pluck().get() ?? 0;
  const row = { id, at, kind, what: JSON.stringify(what), entry };
  const insert = "INSERT INTO changes VALUES (@id, @at, @kind, @what, @entry, @checksum)";
  db.prepare(insert).run({ ...row, checksum: checksumOfChange(row) });
}

/** Each call throws a LedgerError if the store fails. */
export class ChangeLog {
  constructor(private readonly access: SqliteAccess) {}

  lastAt(): Promise<EpochMs | undefined> {
    const sql = "SELECT at FROM changes ORDER BY id DESC LIMIT 1";
    return this.access.read(() => this.access.db.prepare<[], number>(sql).pluck().get());
  }

  /** Facts of the newest row of a kind; undefined if there is no such row. */
  last(kind: ChangeKind): Promise<ChangeFacts | undefined> {
    return this.access.read(() => {
      const sql = "SELECT what FROM changes WHERE kind = ? ORDER BY id DESC LIMIT 1";
      const stored = this.access.db.prepare<[string], string>(sql).pluck().get(kind);
      return stored === undefined ? undefined : factsIn(stored);
    });
  }

  /** All rows, oldest first. A shop has a few hundred rows. */
  all(): Promise<readonly ChangeRow[]> {
    return this.access.read(() => this.access.db.prepare<[], ChangeRow>(SQL.allChanges).all());
  }

  /** Appends a change, which is on the disk when the promise resolves. */
  async append(change: NewChange): Promise<void> {
    await this.access.commit(() => appendChange(this.access.db, change));
  }
}

/** Reads the facts of a row. They are empty if the row is damaged; `tillseal verify` reports the damage. */
export function factsIn(json: string): ChangeFacts {
  try {
    return JSON.parse(json) as ChangeFacts;
  } catch {
    return {};
  }
}
