/** Opens the SQLite file, migrates it and makes its commits durable. Only the code in this folder uses the database. */
import { closeSync, existsSync, mkdirSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import type { EpochMs } from "../base/epoch-ms.js";
import { syncFolder } from "../base/write-durably.js";
import { appendChange } from "./change-log.js";
import { explained } from "./faults.js";
import { StoreError } from "./ledger.js";
import { hasLockFile, lockFolder } from "./lock.js";
import { requireOwnTables } from "./own-schema.js";
import { readOwner } from "./owner.js";
import { addRowChecksum } from "./row-checksums.js";
import { SCHEMA_VERSION, stepsFrom } from "./schema.js";
import { type Db, IN_MEMORY, openDatabase } from "./sqlite.js";
import { missingStore, readMark, requireNoOtherStore, STORE_FILE, STORE_FOLDER, writeMark } from "./store-folder.js";

export { type Db, STORE_FILE, StoreError };

/** ms that a start waits while another program holds the store. */
const START_PATIENCE_MS = 1_000;

/** Length of the header of a database (sqlite.org/fileformat2.html, section 1.3). */
export const HEADER_BYTES = 100;

const PRIVATE = { recursive: true, mode: 0o700 } as const;

export interface Store {
  readonly db: Db;
  readonly dataDir: string;
  /** The store's files while it is open; none if the store is in memory. */
  readonly files: readonly string[];
  /** Reads the header of the store's file from the disk; undefined if there is no file, or it is only read. */
  readonly readHeader?: () => Buffer | undefined;
  /** Whether the store existed without the folder's lock file. Another service may then have the store open. */
  readonly unlocked: boolean;
  /** Whether this process only reads the store, so that a service may write to it. */
  readonly isReadOnly?: boolean;
  /** Closes the file and releases the folder. */
  close(): void;
}

/**
 * Opens the store of a data folder and migrates it to this version's schema.
 * @param migrating called with the number of entries before that: migrating a million entries takes minutes
 * @throws StoreError if another process holds the store, a newer version wrote it, or it cannot be read or written
 */
export function openStore(dataDir: string, migrating: (entries: number) => void = () => undefined): Store {
  try {
    return open(dataDir, migrating);
  } catch (error) {
    throw explained(error, dataDir);
  }
}

function open(dataDir: string, migrating: (entries: number) => void): Store {
  mkdirSync(dataDir, PRIVATE);
  const file = join(dataDir, STORE_FILE);
  const unlocked = existsSync(file) && !hasLockFile(dataDir);
  const lock = lockFolder(dataDir);
  if (!lock) throw new StoreError(inUse(dataDir));
  let db: Db | undefined;
  try {
    requireNoOtherStore(dataDir);
    if (mkdirSync(join(dataDir, STORE_FOLDER), PRIVATE) !== undefined) syncFolder(dataDir);
    // The system says what is wrong with a file that cannot be opened; SQLite would open it for reading only. Closing a
    // file releases the process's locks on it, so another service must not have it.
    if (!unlocked && existsSync(file)) closeSync(openSync(file, "r+"));
    db = openDatabase(file, { timeout: START_PATIENCE_MS });
    // Overwrite erased data (docs/years.md, "What erased means").
    db.pragma("secure_delete = ON");
    migrate(db, file, migrating);
    // A write-ahead log serves concurrent readers and survives a power loss.
    db.pragma("journal_mode = WAL");
    // A commit is on the disk when it returns: the intent before the card is asked, the answer before the POS gets it
    // (docs/reliability.md, "The rules of a sale", 1 and 2).
    db.pragma("synchronous = FULL");
    const name = storeName(db);
    if (readMark(dataDir) !== name) writeMark(dataDir, name);
    const opened = db;
    // SQLite reads from its cache. Closing a descriptor releases the process's locks, so SQLite's is closed first.
    const descriptor = openSync(file, "r");
    const close = () => {
      if (!opened.open) return;
      opened.close();
      closeSync(descriptor);
      lock.release();
    };
    const readHeader = () => {
      const header = Buffer.alloc(HEADER_BYTES);
      try {
        readSync(descriptor, header, 0, HEADER_BYTES, 0);
        return header;
      } catch {
        // A failure to read is no damage; SQLite reports it.
        return undefined;
      }
    };
    return { db: opened, dataDir, files: [file, `${file}-wal`, `${file}-shm`], readHeader, unlocked, close };
  } catch (error) {
    db?.close();
    lock.release();
    throw error;
  }
}

/** Name of a store: a part of the names of its backups. */
export const storeName = (db: Db) => db.prepare<[], string>("SELECT name FROM store_name").pluck().get() ?? "";

/**
 * Begins a new store in a folder that has lost its store, and records that.
 * @returns name of the lost store
 * @throws StoreError if the store is there, the folder never had one, or another process uses it
 */
export function replaceLostStore(dataDir: string, at: EpochMs): string {
  const lost = readMark(dataDir);
  if (lost === undefined || !missingStore(dataDir))
    throw new StoreError(`${dataDir} lacks no store; nothing was changed`);
  const store = openStore(dataDir);
  appendChange(store.db, { at, kind: "lost", what: { store: lost } });
  store.close();
  return lost;
}

/** A store without a file, which its owner keeps while no service runs. */
export interface MemoryStore {
  /** The store when it was last closed; undefined for a new one. */
  content?: Uint8Array | undefined;
}

/**
 * The bytes of the first empty store that this process made. Copying them is faster than making another empty store.
 */
let emptyStore: Uint8Array | undefined;

/**
 * @param dataDir folder for other files of the service
 * @throws StoreError if the content is not a store of this version
 */
export function openInMemory(dataDir: string, memory: MemoryStore): Store {
  const content = memory.content ?? emptyStore;
  const db = openDatabase(content ? withoutLog(content) : IN_MEMORY);
  try {
    migrate(db, "the store in memory", () => undefined);
  } catch (error) {
    db.close();
    throw error;
  }
  if (!content) emptyStore = db.serialize();
  const close = () => {
    // The service keeps the write lock between commits.
    if (db.inTransaction) db.exec("ROLLBACK");
    memory.content = db.serialize();
    db.close();
  };
  return { db, dataDir, files: [], unlocked: false, close };
}

/**
 * A store from a file says in its header that it has a write-ahead log, and SQLite then refuses to open it in memory
 * (sqlite.org/fileformat2.html, section 1.3.3).
 */
function withoutLog(content: Uint8Array): Buffer {
  const bytes = Buffer.from(content);
  bytes.fill(1, 18, 20);
  return bytes;
}

/** @param holder the holder to name if the folder's file with the owner is missing or cannot be read */
export function inUse(dataDir: string, holder = "another tillseal"): string {
  let by = holder;
  try {
    const owner = readOwner(dataDir);
    if (owner) by = `another tillseal at ${owner.url} (process ${owner.pid})`;
  } catch {
    // The file belongs to another user.
  }
  return `${dataDir} is in use by ${by}; stop it or choose another data folder`;
}

/** @throws StoreError if a newer version or one before 1.0.0 wrote it, or foreign objects in it act on ours */
export function migrate(db: Db, file: string, migrating: (entries: number) => void): void {
  const version = Number(db.pragma("user_version", { simple: true }));
  const steps = stepsFrom(version);
  if (!steps) throw unknownSchema(file, version);
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
        `${file} has the schema ${version} of a tillseal before 1.0.0, which this version cannot read. ` +
          "Keep the file: the tillseal that wrote it reads its receipts. Choose another data folder for new ones",
      );
}
