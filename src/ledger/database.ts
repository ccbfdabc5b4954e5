/** Opens the SQLite file, migrates it and makes it durable. Only this folder uses the database. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OWNER_ONLY } from "../base/private-file.js";
import { addRowChecksum } from "./audit-rows.js";
import { checksumOf } from "./checksum.js";
import { explained } from "./faults.js";
import { LedgerError } from "./ledger.js";
import { hasLockFile, lockFolder } from "./lock.js";
import { requireNoTriggers, requireOwnTables } from "./own-schema.js";
import { type Owner, readOwner, removeOwner, writeOwner } from "./owner.js";
import { addRequestFunctions } from "./request-keys.js";
import { SCHEMA_VERSION, stepsFrom } from "./schema.js";
import { type Db, openDatabase, StoreError } from "./sqlite.js";
import type { EntryRow } from "./stored-entry.js";
import { completeSwap, requireNoCopy } from "./swap-store.js";

export { type Db, StoreError };

/** Name of the store in its data folder. */
export const STORE_FILE = "tillseal.db";

/** ms that a start waits while another program holds the store. */
const START_PATIENCE_MS = 1_000;

export interface Store {
  readonly db: Db;
  readonly dataDir: string;
  readonly file: string;
  /** The folder is deleted at the end: its data need not survive a power loss. */
  readonly temporary: boolean;
  /** Whether the store existed without the folder's lock file: another service may have it open. */
  readonly unlocked: boolean;
  /** Writes the address of this folder's service. @param secret for ending the service */
  announce(url: string, secret: string): void;
  /** Closes the file and releases the folder. */
  close(): void;
}

export interface StoreOptions {
  /** Called with the number of entries of an older store: migrating a million takes minutes. */
  readonly migrating?: (entries: number) => void;
  readonly temporary?: boolean;
  /** Called with the files of the store that was there, if the start has completed an interrupted restore. */
  readonly restored?: (kept: readonly string[]) => void;
}

/**
 * Opens the store of a data folder and migrates it to this version's schema.
 * @throws StoreError if another process holds it, a newer version wrote it, or it cannot be read or written
 */
export function openStore(dataDir: string, options: StoreOptions = {}): Store {
  try {
    return open(dataDir, options);
  } catch (error) {
    const problem = explained(error, dataDir);
    throw problem instanceof LedgerError ? new StoreError(problem.message, { cause: error }) : problem;
  }
}

/** A copy of this process's first empty store: copying it is faster than making another. */
let emptyStore: Uint8Array | undefined;

function open(dataDir: string, options: StoreOptions): Store {
  const { migrating = () => undefined, restored = () => undefined, temporary = false } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, STORE_FILE);
  const unlocked = !temporary && existsSync(file) && !hasLockFile(dataDir);
  // No other process uses a temporary folder.
  const lock = temporary ? { release: () => undefined } : lockFolder(dataDir);
  if (!lock) throw new StoreError(inUse(dataDir));
  let db: Db | undefined;
  try {
    const kept = completeSwap(file);
    if (kept) restored(kept);
    requireNoCopy(file);
    const isNew = temporary && !existsSync(file);
    if (isNew && emptyStore) writeFileSync(file, emptyStore, { mode: OWNER_ONLY });
    db = openDatabase(file, { timeout: START_PATIENCE_MS });
    if (temporary) db.pragma("synchronous = OFF");
    // Overwrite erased data (docs/years.md, "What erased means").
    db.pragma("secure_delete = ON");
    migrate(db, file, migrating);
    // A write-ahead log serves concurrent readers and survives a power loss; a temporary store needs neither.
    db.pragma(`journal_mode = ${temporary ? "MEMORY" : "WAL"}`);
    if (isNew) emptyStore ??= db.serialize();
    // A commit is on the disk when it returns: intent before the card, answer before the reply (docs/reliability.md, "The rules of a sale", 1 and 2).
    if (!temporary) db.pragma("synchronous = FULL");
  } catch (error) {
    db?.close();
    lock.release();
    throw error;
  }
  const opened = db;
  let announced = false;
  return {
    db: opened,
    dataDir,
    file,
    temporary,
    unlocked,
    announce: (url, secret) => {
      writeOwner(dataDir, { url, pid: process.pid, secret }, !temporary);
      announced = true;
    },
    close: () => {
      opened.close();
      // The file may belong to another service that has the folder.
      if (announced) removeOwner(dataDir);
      lock.release();
    },
  };
}
/** @param holder the holder to name if the folder's file with the owner is missing or cannot be read */
export function inUse(dataDir: string, holder = "another tillseal"): string {
  const owner = ownerIfReadable(dataDir);
  const by = owner ? `another tillseal at ${owner.url} (process ${owner.pid})` : holder;
  return `${dataDir} is in use by ${by}; stop it or choose another data folder`;
}

function ownerIfReadable(dataDir: string): Owner | undefined {
  try {
    return readOwner(dataDir);
  } catch {
    return undefined;
  }
}

/** Migrates a store. @throws StoreError if a newer version or one before 1.0.0 wrote it, or if it has foreign objects that act on ours */
export function migrate(db: Db, file: string, migrating: (entries: number) => void): void {
  const version = Number(db.pragma("user_version", { simple: true }));
  const steps = stepsFrom(version);
  if (!steps) throw unknownSchema(file, version);
  requireNoTriggers(db, file);
  db.function("checksum", { deterministic: true, varargs: true }, checksumOfColumns);
  addRequestFunctions(db);
  addRowChecksum(db);
  if (steps.length === 0) {
    requireOwnTables(db, file);
    return;
  }
  if (version > 0) migrating(Number(db.prepare("SELECT count(*) FROM invoices").pluck().get()));
  // With a write-ahead log, a rebuilt table would be written twice.
  db.pragma("journal_mode = DELETE");
  db.transaction(() => {
    for (const sql of steps) db.exec(sql);
    requireOwnTables(db, file);
    db.pragma(`user_version = ${SCHEMA_VERSION}`);
  }).immediate();
}

/** The error for a store whose schema this version does not know. */
export function unknownSchema(file: string, version: number): StoreError {
  return version > SCHEMA_VERSION
    ? new StoreError(
        `${file} was written by a newer tillseal (schema ${version}; this version knows ${SCHEMA_VERSION}). ` +
          "Install that version again, or restore the backup that was made before its first start",
      )
    : new StoreError(
        `${file} was written by a tillseal before 1.0.0 (schema ${version}), which this version cannot read. ` +
          "Choose another data folder",
      );
}

/** An SQL function: the columns of an entry in the order of the table, without the id. */
function checksumOfColumns(...columns: unknown[]): Uint8Array {
  const [requestId, requestHash, uid, state, intent, totalCounter, number, signature, answer] = columns;
  const row = { requestId, requestHash, uid, state, intent, totalCounter, number, signature, answer };
  return checksumOf(row as EntryRow);
}
