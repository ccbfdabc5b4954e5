/** The SQLite file: opened, migrated, durable. Only this folder knows the database. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OWNER_ONLY } from "../private-file.js";
import { checksumOf } from "./checksum.js";
import { explained } from "./faults.js";
import { LedgerError } from "./ledger.js";
import { hasLockFile, lockFolder } from "./lock.js";
import { MIGRATIONS } from "./migrations.js";
import { type Owner, readOwner, removeOwner, writeOwner } from "./owner.js";
import { type Db, openDatabase, StoreError } from "./sqlite.js";
import type { EntryRow } from "./stored-entry.js";

export { type Db, StoreError };

/** Name of the store in its data folder. */
export const STORE_FILE = "tillseal.db";

/** ms for which a start waits where another program holds the store. */
const START_PATIENCE_MS = 1_000;

export interface Store {
  readonly db: Db;
  readonly dataDir: string;
  readonly file: string;
  /** The folder goes with the process: what is written there need not outlive a loss of power. */
  readonly temporary: boolean;
  /** Whether the store was there and the folder's lock file was not: another service may have the store. */
  readonly unlocked: boolean;
  /** Writes down where the service of this folder listens. @param secret that ends the service */
  announce(url: string, secret: string): void;
  /** Closes the file and lets the next process have the folder. */
  close(): void;
}

export interface StoreOptions {
  /** Hears how many entries an older store has: that takes minutes for a million. */
  readonly migrating?: (entries: number) => void;
  readonly temporary?: boolean;
}

/**
 * Opens the store of a data folder and brings it to this version's schema.
 * @throws StoreError where another process holds it, a newer version wrote it, or it cannot be read or written
 */
export function openStore(dataDir: string, options: StoreOptions = {}): Store {
  try {
    return open(dataDir, options);
  } catch (error) {
    const told = explained(error, dataDir);
    throw told instanceof LedgerError ? new StoreError(told.message, { cause: error }) : told;
  }
}

/** What the first temporary store of this process began with: to copy it is faster than to make the next one. */
let emptyStore: Uint8Array | undefined;

function open(dataDir: string, { migrating = () => undefined, temporary = false }: StoreOptions): Store {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, STORE_FILE);
  const unlocked = !temporary && existsSync(file) && !hasLockFile(dataDir);
  // No other process knows a folder that goes with this one.
  const lock = temporary ? { release: () => undefined } : lockFolder(dataDir);
  if (!lock) throw new StoreError(inUse(dataDir));
  let db: Db | undefined;
  try {
    const isNew = temporary && !existsSync(file);
    if (isNew && emptyStore) writeFileSync(file, emptyStore, { mode: OWNER_ONLY });
    db = openDatabase(file, { timeout: START_PATIENCE_MS });
    if (temporary) db.pragma("synchronous = OFF");
    // What is erased is overwritten, not only forgotten (docs/years.md, "What erased means").
    db.pragma("secure_delete = ON");
    migrate(db, file, migrating);
    // A log is for who reads beside the writer, and for a loss of power.
    db.pragma(`journal_mode = ${temporary ? "MEMORY" : "WAL"}`);
    if (isNew) emptyStore ??= db.serialize();
    // A commit is on the disk when it returns: intent before the card, answer before the reply (docs/architecture.md, "What must never happen").
    if (!temporary) db.pragma("synchronous = FULL");
  } catch (error) {
    db?.close();
    lock.release();
    throw error;
  }
  const opened = db;
  let announced = false;
  return {
    ...{ db: opened, dataDir, file, temporary, unlocked },
    announce: (url, secret) => {
      writeOwner(dataDir, { url, pid: process.pid, secret }, !temporary);
      announced = true;
    },
    close: () => {
      opened.close();
      // It may be the note of another service, which has the folder.
      if (announced) removeOwner(dataDir);
      lock.release();
    },
  };
}
/** @param holder where the note in the folder does not say more */
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

/** @throws StoreError if a newer version wrote it */
export function migrate(db: Db, file: string, migrating: (entries: number) => void): void {
  const version = Number(db.pragma("user_version", { simple: true }));
  if (version > MIGRATIONS.length) throw newerStore(file, version);
  db.function("checksum", { deterministic: true, varargs: true }, checksumOfColumns);
  if (version === MIGRATIONS.length) return;
  if (version > 0) migrating(Number(db.prepare("SELECT count(*) FROM invoices").pluck().get()));
  // A table that is made anew would be written twice: into the log, then into the store.
  db.pragma("journal_mode = DELETE");
  db.transaction(() => {
    for (const sql of MIGRATIONS.slice(version)) db.exec(sql);
    db.pragma(`user_version = ${MIGRATIONS.length}`);
  }).immediate();
}

/** Why this version leaves a store alone: it does not know what the newer one keeps there. */
export function newerStore(file: string, version: number): StoreError {
  return new StoreError(
    `${file} was written by a newer tillseal (schema ${version}; this version knows ${MIGRATIONS.length}). ` +
      "Install that version again, or restore the backup that was made before its first start",
  );
}

/** For SQL: the columns of an entry in the order of the table, without the id. */
function checksumOfColumns(...columns: unknown[]): Uint8Array {
  const [requestId, requestHash, uid, state, intent, totalCounter, number, signature, answer] = columns;
  const row = { requestId, requestHash, uid, state, intent, totalCounter, number, signature, answer };
  return checksumOf(row as EntryRow);
}
