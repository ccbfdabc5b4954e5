/** Reads a store for commands, also while a service writes to it. Changes nothing in the store. */

import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { EpochMs } from "../base/epoch-ms.js";
import { codeOf } from "../base/thrown.js";
import { toIso } from "../fiscal/time.js";
import { AuditLedger } from "./audit-ledger.js";
import { addRowChecksum, DAMAGED_AUDIT_ROWS } from "./audit-rows.js";
import { ALL_SENT, AuthorityLedger, type Sent, type StoredSent, sentOf } from "./authority-ledger.js";
import { ALL_CHANGES, type ChangeRow } from "./change-log.js";
import { sha256 } from "./checksum.js";
import { type Db, type Store, StoreError, unknownSchema } from "./database.js";
import { ERASED, type StoredErased } from "./erasing.js";
import { explained, ledgerError } from "./faults.js";
import { type Entry, LedgerError, type Report } from "./ledger.js";
import { foreignObjects } from "./own-schema.js";
import { SCHEMA_VERSION, stepsFrom } from "./schema.js";
import { SoldRows } from "./sold-rows.js";
import { SQL } from "./sql.js";
import { openDatabase } from "./sqlite.js";
import { existingStore, STORE_NAME } from "./store-folder.js";
import { entryOf, type StoredEntry } from "./stored-entry.js";

export interface KnownCard {
  readonly uid: string;
  readonly lastCounter: number;
}

export interface CardCertificate {
  readonly uid: string;
  /** X.509 DER. */
  readonly certificate: Uint8Array;
}

export interface CountedEntry {
  readonly id: number;
  readonly uid: string;
  readonly totalCounter: number;
}

export interface EntryAmount {
  /** Amount in the answer, as a decimal text; null if there is no answer. */
  readonly totalAmount: string | null;
  /** The intent, which has the amount too, JSON; null if there is an answer. */
  readonly intent: string | null;
}

export interface NewestReceipt {
  readonly number: string;
  readonly totalCounter: number;
  /** ISO 8601, UTC; null if the card's answer is damaged. */
  readonly signedAt: string | null;
}

/** An older version wrote the store. The first start of this version's service migrates it. */
export class OlderStoreError extends StoreError {}

export class StoreReading {
  private constructor(
    private readonly db: Db,
    private readonly dataDir: string,
    readonly file: string,
  ) {}

  /** Opens a snapshot of the store at this moment. @throws StoreError */
  static open(dataDir: string): StoreReading {
    return StoreReading.openFile(existingStore(dataDir), dataDir);
  }

  /** Opens a copy of a store, which may have any name. @throws StoreError */
  static openFile(file: string, dataDir = dirname(file)): StoreReading {
    return new StoreReading(openSnapshot(file, dataDir), dataDir, file);
  }

  close(): void {
    this.db.close();
  }

  /** Runs a task, and closes the store. */
  use<T>(task: (store: StoreReading) => T): T {
    try {
      return task(this);
    } finally {
      this.close();
    }
  }

  /** Problems that SQLite finds in the file. */
  integrity(): readonly string[] {
    const lines = this.read(() => this.db.prepare<[], string>("PRAGMA integrity_check").pluck().all());
    return lines.filter((line) => line !== "ok");
  }

  /** Triggers, tables and other objects that tillseal did not create, such as `trigger thief`. */
  foreignObjects(): readonly string[] {
    return this.read(() => foreignObjects(this.db));
  }

  count(): number {
    return this.read(() => this.db.prepare<[], number>("SELECT count(*) FROM invoices").pluck().get() ?? 0);
  }

  /** All entries in the order of their ids. @throws StoreError if the next row cannot be read */
  *entries(): Generator<Entry> {
    for (const row of this.each<StoredEntry>(SQL.all)) yield entryOf(row);
  }

  /** The newest entries, newest first. */
  newest(limit: number): readonly Entry[] {
    return this.read(() =>
      this.db
        .prepare<[number], StoredEntry>(SQL.newest)
        .all(limit)
        .map((row) => entryOf(row)),
    );
  }

  /** The number of complete receipts. Adopted sales do not count, because the store does not have their text. */
  receiptCount(): number {
    return this.read(() => this.db.prepare<[], number>(SQL.receiptCount).pluck().get() ?? 0);
  }

  newestReceipt(): NewestReceipt | null {
    type Row = Omit<NewestReceipt, "signedAt"> & { readonly signedAt: number | null };
    const row = this.read(() => this.db.prepare<[], Row>(SQL.newestReceipt).get());
    return row ? { ...row, signedAt: row.signedAt === null ? null : toIso(row.signedAt) } : null;
  }

  /** Time of the newest receipt. */
  newestTime(): EpochMs | null {
    return this.read(() => this.db.prepare<[], number | null>(SQL.newestTime).pluck().get() ?? null);
  }

  /** Amounts of a card's entries, newest first. @throws StoreError if the next row cannot be read */
  amounts(uid: string): Iterable<EntryAmount> {
    return this.each(SQL.amounts, uid);
  }

  /** Entries with a counter, ordered by card and counter. @throws StoreError if the next row cannot be read */
  counted(): Iterable<CountedEntry> {
    return this.each(SQL.counted);
  }

  /** Lost entries with an unknown counter. */
  uncounted(): readonly Pick<CountedEntry, "id" | "uid">[] {
    return this.read(() => this.db.prepare<[], CountedEntry>(SQL.uncounted).all());
  }

  /**
   * The answers that a card gave after the given answer, oldest first; empty if the given answer is not in the store.
   * @param number of the invoice that the given answer belongs to
   */
  signedAfter(uid: string, number: string, answer: Uint8Array): readonly Uint8Array[] {
    return this.read(() => {
      const entries = this.db.prepare<[string], StoredEntry>(SQL.byNumber).all(number);
      const from = entries.find(({ signature }) => signature !== null && Buffer.from(signature).equals(answer));
      return from ? this.db.prepare<[string, number], Uint8Array>(SQL.signedAfter).pluck().all(uid, from.id) : [];
    });
  }

  /** A card's sales with these total counters, by counter. @throws StoreError if the next row cannot be read */
  *salesBetween(uid: string, from: number, to: number): Generator<Entry> {
    for (const row of this.each<StoredEntry>(SQL.salesBetween, uid, from, to)) yield entryOf(row);
  }

  cards(): readonly KnownCard[] {
    return this.read(() => this.db.prepare<[], KnownCard>(SQL.allCards).all());
  }

  /** The certificates of all cards. If several cards have had the same UID, that UID has several certificates. */
  certificates(): readonly CardCertificate[] {
    return this.read(() => this.db.prepare<[], CardCertificate>(SQL.allCertificates).all());
  }

  /** All reports, also the confirmed ones. */
  reports(): readonly Report[] {
    return this.read(() => this.db.prepare<[], Report>(SQL.allReports).all());
  }

  /** Reports that are not confirmed yet, oldest first. */
  openReports(): readonly Report[] {
    return this.read(() => this.db.prepare<[], Report>(SQL.reports).all());
  }

  /** Sales in doubt of every card, oldest first. */
  openIntents(): readonly Entry[] {
    return this.read(() =>
      this.db
        .prepare<[null], StoredEntry>(SQL.openIntents)
        .all(null)
        .map((row) => entryOf(row)),
    );
  }

  /** What the tax authority sent for every card. */
  sent(): readonly Sent[] {
    return this.read(() => this.db.prepare<[], StoredSent>(ALL_SENT).all().map(sentOf));
  }

  /** Name of the store: a part of the names of its backups. */
  storeName(): string {
    const name = this.read(() => String(this.db.prepare<[], unknown>("SELECT name FROM store_name").pluck().get()));
    // The schedule would not find the backups of a damaged name, and make one every minute.
    return /^[0-9a-f]+$/.test(name) ? name : Buffer.from(sha256(name)).toString("hex").slice(0, 8);
  }

  /** What remains of erased entries, in the order of their ids. @throws StoreError if the next row cannot be read */
  erased(): Iterable<StoredErased> {
    return this.each(`${ERASED} ORDER BY id`);
  }

  /** The record of changes, oldest first. */
  changes(): readonly ChangeRow[] {
    return this.read(() => this.db.prepare<[], ChangeRow>(ALL_CHANGES).all());
  }

  /** UIDs of cards whose audits or progress are damaged. */
  damagedAudits(): readonly string[] {
    return this.read(() => this.db.prepare<[], string>(DAMAGED_AUDIT_ROWS).pluck().all());
  }

  /** The audits, for reading only. @throws StoreError */
  audits(): AuditLedger {
    return new AuditLedger(this.access());
  }

  /** What the authority sent, for reading only. @throws StoreError */
  authority(): AuthorityLedger {
    return new AuthorityLedger(this.access());
  }

  /** The signed receipts. If the file is damaged, reading their rows throws SQLite's error. */
  soldRows(): SoldRows {
    return new SoldRows(this.db);
  }

  private access(): ConstructorParameters<typeof AuditLedger>[0] {
    return {
      db: this.db,
      read: async (task) => this.read(task),
      commit: () => Promise.reject(new StoreError("the store is only read")),
      missing: (content) => ledgerError("damaged", this.dataDir, `there is no ${content}`),
    };
  }

  private *each<T>(sql: string, ...of: (string | number)[]): Generator<T> {
    try {
      yield* this.db.prepare<(string | number)[], T>(sql).iterate(...of);
    } catch (error) {
      throw inWords(error, this.dataDir);
    }
  }

  private read<T>(task: () => T): T {
    try {
      return task();
    } catch (error) {
      throw inWords(error, this.dataDir);
    }
  }
}

/** Opens a data folder's store for commands that only read, as a service does otherwise. @throws StoreError */
export function openReadOnly(dataDir: string): Store {
  const file = existingStore(dataDir);
  const db = openSnapshot(file, dataDir);
  return { db, dataDir, files: [file], unlocked: false, isReadOnly: true, announce: noOwner, close: () => db.close() };
}

function noOwner(): never {
  throw new Error("no service owns a store that is only read");
}

function openSnapshot(file: string, dataDir: string): Db {
  if (!existsSync(file)) throw new StoreError(`there is no ${file}`);
  let db: Db | undefined;
  try {
    db = openToRead(file);
    addRowChecksum(db);
    const version = Number(db.pragma("user_version", { simple: true }));
    if (version !== SCHEMA_VERSION) throw otherVersion(file, version);
    db.exec("BEGIN");
    return db;
  } catch (error) {
    db?.close();
    throw inWords(error, dataDir);
  }
}

/**
 * Opens a file for reading. Beside a store with a write-ahead log, SQLite needs a file that it can write: on a disk that
 * cannot be written, it reads a copy.
 */
function openToRead(file: string): Db {
  const db = openDatabase(file, { readonly: true });
  try {
    db.pragma("schema_version");
    return db;
  } catch (error) {
    db.close();
    if (!/^SQLITE_(CANTOPEN|READONLY)/.test(codeOf(error) ?? "")) throw error;
    return openCopy(file);
  }
}

function openCopy(file: string): Db {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-read-"));
  try {
    const copy = join(folder, STORE_NAME);
    for (const part of ["", "-wal"]) if (existsSync(file + part)) copyFileSync(file + part, copy + part);
    const db = openDatabase(copy, { readonly: true });
    db.pragma("schema_version");
    return db;
  } finally {
    // The copy stays readable while it is open. Windows keeps its files until the system removes temporary ones.
    if (process.platform !== "win32") rmSync(folder, { recursive: true });
  }
}

function otherVersion(file: string, version: number): StoreError {
  if (!stepsFrom(version)) return unknownSchema(file, version);
  const older = `${file} was written by an older tillseal (schema ${version})`;
  return new OlderStoreError(`${older}; start this version's service on it first`);
}

function inWords(error: unknown, dataDir: string): unknown {
  const problem = explained(error, dataDir);
  return problem instanceof LedgerError ? new StoreError(problem.message, { cause: error }) : problem;
}
