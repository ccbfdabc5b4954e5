/**
 * The record of changes of settings, rates, parameters and clock. Each row's hash covers the previous row, and each
 * sale's intent names the newest row ({@link ChangeLog.head}), so that editing, removing or cutting off rows behind a
 * sale is noticed (docs/years.md, "The record of changes").
 */
import { createHash } from "node:crypto";
import type { ChangeFacts, ChangeKind } from "./change-kind.js";
import type { Db } from "./database.js";
import type { SqliteAccess } from "./sqlite-access.js";

export interface NewChange {
  /** ms since the epoch. */
  readonly at: number;
  readonly kind: ChangeKind;
  readonly what: ChangeFacts;
}

export type { ChangeFacts, ChangeKind } from "./change-kind.js";

/** A stored row of the record of changes. */
export interface ChangeRow {
  readonly id: number;
  /** ms since the epoch. */
  readonly at: number;
  readonly kind: ChangeKind;
  /** JSON of {@link ChangeFacts}. */
  readonly what: string;
  /** Id of the ledger's newest entry when the row was written. */
  readonly entry: number;
  readonly hash: Uint8Array;
}

const COLUMNS = "SELECT id, at, kind, what, entry, hash FROM changes";
/** Selects all rows, oldest first. */
export const ALL_CHANGES = `${COLUMNS} ORDER BY id`;

/** Number of hexadecimal digits of a row's hash in an intent. */
const NAMED_DIGITS = 16;

/** @param before hash of the previous row; empty for the first row */
export function hashOfChange(before: Uint8Array, { id, at, kind, what, entry }: Omit<ChangeRow, "hash">): Uint8Array {
  const json = JSON.stringify([Buffer.from(before).toString("hex"), id, at, kind, what, entry]);
  return createHash("sha256").update(json).digest();
}

/** Name of a row in intents: its id and the beginning of its hash, such as `12.9f86d081884c7d65`. */
export function nameOfChange({ id, hash }: Pick<ChangeRow, "id" | "hash">): string {
  return `${id}.${Buffer.from(hash).toString("hex").slice(0, NAMED_DIGITS)}`;
}

/** Appends a row to the record. The caller has begun the transaction, which may write other things too. */
export function appendChange(db: Db, { at, kind, what }: NewChange): ChangeRow {
  const last = db.prepare<[], ChangeRow>(`${COLUMNS} ORDER BY id DESC LIMIT 1`).get();
  const entry = db.prepare<[], number>("SELECT coalesce(max(id), 0) FROM invoices").pluck().get() ?? 0;
  const row = { id: (last?.id ?? 0) + 1, at, kind, what: JSON.stringify(what), entry };
  const hash = hashOfChange(last?.hash ?? new Uint8Array(), row);
  db.prepare("INSERT INTO changes VALUES (@id, @at, @kind, @what, @entry, @hash)").run({ ...row, hash });
  return { ...row, hash };
}

export class ChangeLog {
  private newest: ChangeRow | undefined;
  private name: string | undefined;

  /** @throws StoreError if the store is damaged */
  constructor(private readonly access: SqliteAccess) {
    const { db } = access;
    access.onChange = (row) => this.keep(row);
    this.keep(access.starting(() => db.prepare<[], ChangeRow>(`${COLUMNS} ORDER BY id DESC LIMIT 1`).get()));
  }

  /** Name of the newest row, kept in memory; undefined if there is no row. */
  get head(): string | undefined {
    return this.name;
  }

  /** Time of the newest row: ms since the epoch; undefined if there is no row. */
  get lastAt(): number | undefined {
    return this.newest?.at;
  }

  /** Facts of the newest row of a kind; undefined if there is no such row. @throws LedgerError */
  last(kind: ChangeKind): Promise<ChangeFacts | undefined> {
    return this.access.read(() => {
      const sql = "SELECT what FROM changes WHERE kind = ? ORDER BY id DESC LIMIT 1";
      const stored = this.access.db.prepare<[string], string>(sql).pluck().get(kind);
      return stored === undefined ? undefined : factsIn(stored);
    });
  }

  /** All rows, oldest first. A shop has a few hundred rows. @throws LedgerError */
  all(): Promise<readonly ChangeRow[]> {
    return this.access.read(() => this.access.db.prepare<[], ChangeRow>(ALL_CHANGES).all());
  }

  /** Appends a change, which is on the disk when the promise resolves. @throws LedgerError nothing was written */
  async append(change: NewChange): Promise<void> {
    this.keep(await this.access.commit(() => appendChange(this.access.db, change)));
  }

  /** Remembers a row that another transaction has written. */
  keep(row: ChangeRow | undefined): void {
    this.newest = row;
    this.name = row && nameOfChange(row);
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
