/** Reads a store for commands, also while a service writes to it. Changes nothing in the store. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { EpochMs } from "../base/epoch-ms.js";
import { codeOf } from "../base/thrown.js";
import { toIso } from "../fiscal/time.js";
import { AuditLedger } from "./audit-ledger.js";
import { type Sent, type StoredSent, sentOf } from "./authority-ledger.js";
import type { ChangeRow } from "./change-log.js";
import { sha256 } from "./checksum.js";
import { type Db, type Store, StoreError, unknownSchema } from "./database.js";
import type { StoredErased } from "./erasing.js";
import { explained } from "./faults.js";
import type { Entry, Report } from "./ledger.js";
import { foreignObjects } from "./own-schema.js";
import { addRowChecksum } from "./row-checksums.js";
import { SCHEMA_VERSION, stepsFrom } from "./schema.js";
import { SQL } from "./sql.js";
import { openDatabase } from "./sqlite.js";
import { SqliteAccess } from "./sqlite-access.js";
import { Statements } from "./statements.js";
import { existingStore, STORE_NAME } from "./store-folder.js";
import { entryOf, type StoredEntry } from "./stored-entry.js";

type SignedEntry = Pick<Entry, "id"> & { readonly signature: Uint8Array };
export type CountedEntry = Pick<Entry, "id" | "uid"> & { readonly totalCounter: number };

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
  private readonly statements;

  private constructor(private readonly store: Store) {
    this.statements = new Statements(store.db, SQL);
  }

  /** Opens a snapshot of the store at this moment. @throws StoreError */
  static open(dataDir: string): StoreReading {
    return new StoreReading(openReadOnly(dataDir));
  }

  /** Opens a copy of a store, which may have any name. @throws StoreError */
  static openFile(file: string): StoreReading {
    return new StoreReading(openReadOnly(dirname(file), file));
  }

  close(): void {
    this.store.close();
  }

  use<T>(task: (store: StoreReading) => T): T {
    let result: T | undefined;
    try {
      result = task(this);
    } finally {
      if (!(result instanceof Promise)) this.close();
    }
    return result instanceof Promise ? (result.finally(() => this.close()) as T) : result;
  }

  /** Problems that SQLite finds in the file. */
  integrity(): readonly string[] {
    return this.read(() => this.statements.values<string>("integrity")).filter((line) => line !== "ok");
  }

  /** Triggers, tables and other objects that tillseal did not create, such as `trigger thief`. */
  foreignObjects(): readonly string[] {
    return this.read(() => foreignObjects(this.store.db));
  }

  count(): number {
    return this.value<number>("count") ?? 0;
  }

  /** All entries in the order of their ids. @throws StoreError if the next row cannot be read */
  *entries(): Generator<Entry> {
    for (const row of this.each<StoredEntry>("all")) yield entryOf(row);
  }

  newest(limit: number): readonly Entry[] {
    return this.all<StoredEntry>("newest", limit).map((row) => entryOf(row));
  }

  /** The number of complete receipts. Adopted sales do not count, because the store does not have their text. */
  receiptCount(): number {
    return this.value<number>("receiptCount") ?? 0;
  }

  newestReceipt(): NewestReceipt | null {
    const [row] = this.all<Omit<NewestReceipt, "signedAt"> & { readonly signedAt: number | null }>("newestReceipt");
    return row ? { ...row, signedAt: row.signedAt === null ? null : toIso(row.signedAt) } : null;
  }

  newestTime(): EpochMs | null {
    return this.value<EpochMs | null>("newestTime") ?? null;
  }

  /** Amounts of a card's entries, newest first. @throws StoreError if the next row cannot be read */
  amounts(uid: string): Iterable<EntryAmount> {
    return this.each("amounts", uid);
  }

  /** Entries with a counter, ordered by card and counter. @throws StoreError if the next row cannot be read */
  counted(): Iterable<CountedEntry> {
    return this.each("counted");
  }

  /** Lost entries with an unknown counter. */
  uncounted(): readonly Pick<CountedEntry, "id" | "uid">[] {
    return this.all("uncounted");
  }

  /**
   * The answers that a card gave after the given answer, oldest first; empty if the given answer is not in the store.
   * @param number of the invoice that the given answer belongs to
   */
  signedAfter(uid: string, number: string, answer: Uint8Array): readonly Uint8Array[] {
    const entries = this.all<StoredEntry>("byNumber", number);
    const from = entries.find(({ signature }) => signature !== null && Buffer.from(signature).equals(answer));
    return from ? this.read(() => this.statements.values("signedAfter", uid, from.id)) : [];
  }

  /** A card's sales with these total counters, by counter. @throws StoreError if the next row cannot be read */
  *salesBetween(uid: string, from: number, to: number): Generator<Entry> {
    for (const row of this.each<StoredEntry>("salesBetween", uid, from, to)) yield entryOf(row);
  }

  cards(): readonly (Pick<Entry, "uid"> & { readonly lastCounter: number })[] {
    return this.all("allCards");
  }

  /** The certificates of all cards. If several cards have had the same UID, that UID has several certificates. */
  certificates(): readonly { readonly uid: string; readonly certificate: Uint8Array }[] {
    return this.all("allCertificates");
  }

  /** All reports, also the confirmed ones. */
  reports(): readonly Report[] {
    return this.all("allReports");
  }

  /** Sales in doubt of every card, oldest first. */
  openIntents(): readonly Entry[] {
    return this.all<StoredEntry>("openIntents", null).map((row) => entryOf(row));
  }

  sent(): readonly Sent[] {
    return this.all<StoredSent>("allSent").map(sentOf);
  }

  /** Name of the store: a part of the names of its backups. */
  storeName(): string {
    const name = String(this.value("storeName"));
    // The schedule would not find the backups of a damaged name, and make one every minute.
    return /^[0-9a-f]+$/.test(name) ? name : Buffer.from(sha256(name)).toString("hex").slice(0, 8);
  }

  /** What remains of erased entries, in the order of their ids. @throws StoreError if the next row cannot be read */
  erased(): Iterable<StoredErased> {
    return this.each("allErased");
  }

  /** The record of changes, oldest first. */
  changes(): readonly ChangeRow[] {
    return this.all("allChanges");
  }

  /** Damaged rows of the tables that do not have receipts. */
  damagedRows(): readonly { readonly table: string; readonly row: number }[] {
    return this.all("damagedRows");
  }

  /** A card's signed entries, in the order of their ids. @throws StoreError if the next row cannot be read */
  signed(uid: string): Iterable<SignedEntry> {
    return this.each("signed", uid);
  }

  hasSigned(uid: string, { id, signature }: SignedEntry): boolean {
    const [known] = this.read(() => this.statements.values<Uint8Array | null>("signedAs", { uid, id }));
    return [signature, sha256(signature)].some((one) => known && Buffer.from(known).equals(one));
  }

  /** Checksums, in hex, of a card's intact audits that cover no entry after the given one. */
  auditsTo(uid: string, entry: number): readonly string[] {
    return this.read(() => this.statements.values("auditsTo", uid, entry));
  }

  /** The audits, for reading only. @throws StoreError */
  audits(): AuditLedger {
    return new AuditLedger(new SqliteAccess(this.store));
  }

  private *each<Row>(name: keyof typeof SQL, ...of: (string | number)[]): Generator<Row> {
    try {
      yield* this.store.db.prepare<(string | number)[], Row>(SQL[name]).iterate(...of);
    } catch (error) {
      throw explained(error, this.store.dataDir);
    }
  }

  private all<Row>(name: keyof typeof SQL, ...of: (string | number | null)[]): Row[] {
    return this.read(() => this.statements.all(name, ...of));
  }

  private value<T>(name: keyof typeof SQL): T | undefined {
    return this.read(() => this.statements.value(name));
  }

  private read<T>(task: () => T): T {
    try {
      return task();
    } catch (error) {
      throw explained(error, this.store.dataDir);
    }
  }
}

/** Opens a snapshot of a store, as a service does otherwise, for reading only. @throws StoreError */
export function openReadOnly(dataDir: string, file = existingStore(dataDir)): Store {
  if (!existsSync(file)) throw new StoreError(`there is no ${file}`);
  let db: Db | undefined;
  try {
    const opened = openToRead(file);
    db = opened;
    addRowChecksum(db);
    const version = Number(db.pragma("user_version", { simple: true }));
    if (version !== SCHEMA_VERSION) throw otherVersion(file, version);
    db.exec("BEGIN");
    return { db, dataDir, files: [file], unlocked: false, isReadOnly: true, close: () => opened.close() };
  } catch (error) {
    db?.close();
    throw explained(error, dataDir);
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
