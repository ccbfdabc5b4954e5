/** Opens the SQLite file, migrates it and makes its commits durable. Only the code in this folder uses the database. */
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
  /** Whether the data folder is deleted when the service ends. Its data need not survive a power loss. */
  readonly temporary: boolean;
  /** Whether the store existed without the folder's lock file. Another service may then have the store open. */
  readonly unlocked: boolean;
  /** Writes the address of the service into the data folder. @param secret for ending the service */
  announce(url: string, secret: string): void;
  /** Closes the file and releases the folder. */
  close(): void;
}

export interface StoreOptions {
  /** Called with the number of entries before an older store is migrated: migrating a million entries takes minutes. */
  readonly migrating?: (entries: number) => void;
  readonly temporary?: boolean;
  /** Called if the start has completed an interrupted restore, with the files of the store that was there before. */
  readonly restored?: (kept: readonly string[]) => void;
}

/**
 * Opens the store of a data folder and migrates it to this version's schema.
 * @throws StoreError if another process holds the store, a newer version wrote it, or it cannot be read or written
 */
export function openStore(dataDir: string, options: StoreOptions = {}): Store {
  try {
    return open(dataDir, options);
  } catch (error) {
    const problem = explained(error, dataDir);
    throw problem instanceof LedgerError ? new StoreError(problem.message, { cause: error }) : problem;
  }
}

/**
 * The bytes of the first empty store that this process made. Copying them is faster than making another empty store.
 */
let emptyStore: Uint8Array | undefined;

function open(dataDir: string, options: StoreOptions): Store {
  const { migrating = () => undefined, restored = () => undefined, temporary = false } = options;
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, STORE_FILE);
  const unlocked = !temporary && existsSync(file) && !hasLockFile(dataDir);
  // A temporary folder needs no lock, because no other process uses it.
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
    // A write-ahead log serves concurrent readers and survives a power loss. A temporary store needs neither of these.
    db.pragma(`journal_mode = ${temporary ? "MEMORY" : "WAL"}`);
    if (isNew) emptyStore ??= db.serialize();
    // A commit is on the disk when it returns: the intent before the card is asked, the answer before the POS gets it
    // (docs/reliability.md, "The rules of a sale", 1 and 2).
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
      // Remove the owner's file only if this service wrote it: another file belongs to another service.
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

/**
 * Migrates a store.
 * @throws StoreError if a newer version or one before 1.0.0 wrote it, or if it has foreign objects that act on ours
 */
export function migrate(db: Db, file: string, migrating: (entries: number) => void): void {
  const version = Number(db.pragma("user_version", { simple: true }));
  const steps = stepsFrom(version);
  if (!steps) throw unknownSchema(file, version);
  requireNoTriggers(db, file);
  db.function("checksum", { deterministic: true, varargs: true }, checksumOfColumns);
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

/** The SQL function checksum(). Its arguments are the columns of an entry in the order of the table, without the id. */
function checksumOfColumns(...columns: unknown[]): Uint8Array {
  const [requestId, requestHash, uid, state, intent, totalCounter, number, signature, answer] = columns;
  const row = { requestId, requestHash, uid, state, intent, totalCounter, number, signature, answer };
  return checksumOf(row as EntryRow);
}
