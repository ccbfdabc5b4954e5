/**
 * The record of what has changed beside the sales: settings, rates, parameters, clock. Each row's hash covers the row before it,
 * and each sale's intent names the newest row ({@link ChangeLog.head}), so that a row cannot be edited, taken out or cut off
 * behind a sale without being noticed (docs/years.md, "The record of changes").
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

/** A stored row. */
export interface ChangeRow {
  readonly id: number;
  /** ms since the epoch. */
  readonly at: number;
  readonly kind: ChangeKind;
  /** JSON of {@link ChangeFacts}. */
  readonly what: string;
  /** Id of the newest entry of the ledger by then. */
  readonly entry: number;
  readonly hash: Uint8Array;
}

const COLUMNS = "SELECT id, at, kind, what, entry, hash FROM changes";
/** In their order. */
export const ALL_CHANGES = `${COLUMNS} ORDER BY id`;

/** Hexadecimal digits of a row's hash that an intent names. */
const NAMED_DIGITS = 16;

/** @param before hash of the row before; empty for the first one */
export function hashOfChange(before: Uint8Array, { id, at, kind, what, entry }: Omit<ChangeRow, "hash">): Uint8Array {
  const said = JSON.stringify([Buffer.from(before).toString("hex"), id, at, kind, what, entry]);
  return createHash("sha256").update(said).digest();
}

/** What an intent says of the newest row: `12.9f86d081884c7d65`. */
export function nameOfChange({ id, hash }: Pick<ChangeRow, "id" | "hash">): string {
  return `${id}.${Buffer.from(hash).toString("hex").slice(0, NAMED_DIGITS)}`;
}

/** For one transaction that writes other things too. */
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

  /** @throws StoreError where the store is damaged */
  constructor(private readonly access: SqliteAccess) {
    const { db } = access;
    this.keep(access.starting(() => db.prepare<[], ChangeRow>(`${COLUMNS} ORDER BY id DESC LIMIT 1`).get()));
  }

  /** Names the newest row; undefined without one. Costs nothing. */
  get head(): string | undefined {
    return this.name;
  }

  /** ms since the epoch: of the newest row; undefined without one. */
  get lastAt(): number | undefined {
    return this.newest?.at;
  }

  /** The newest row of a kind. @throws LedgerError */
  last(kind: ChangeKind): Promise<ChangeFacts | undefined> {
    return this.access.read(() => {
      const sql = "SELECT what FROM changes WHERE kind = ? ORDER BY id DESC LIMIT 1";
      const what = this.access.db.prepare<[string], string>(sql).pluck().get(kind);
      return what === undefined ? undefined : factsIn(what);
    });
  }

  /** In their order: a shop has some hundred of them. @throws LedgerError */
  all(): Promise<readonly ChangeRow[]> {
    return this.access.read(() => this.access.db.prepare<[], ChangeRow>(ALL_CHANGES).all());
  }

  /** On the disk when the promise resolves. @throws LedgerError nothing was written */
  async append(change: NewChange): Promise<void> {
    this.keep(await this.access.commit(() => appendChange(this.access.db, change)));
  }

  /** A row that another transaction has written. */
  keep(row: ChangeRow | undefined): void {
    this.newest = row;
    this.name = row && nameOfChange(row);
  }
}

/** None where the disk has damaged it: `tillseal verify` says so. */
export function factsIn(json: string): ChangeFacts {
  try {
    return JSON.parse(json) as ChangeFacts;
  } catch {
    return {};
  }
}
