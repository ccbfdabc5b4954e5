/**
 * Makes a backup the store of a data folder. A power cut or a kill at any moment loses nothing: the copy is complete,
 * checked and on the disk before swap-store.ts puts it in the place of the present store.
 */
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { OWNER_ONLY } from "../base/private-file.js";
import { syncFile } from "../base/write-durably.js";
import { removeCopy } from "./backup.js";
import { inUse, migrate, STORE_FILE, StoreError } from "./database.js";
import { explained } from "./faults.js";
import { LedgerError } from "./ledger.js";
import { hasLockFile, LOCK_FILE, lockFolder } from "./lock.js";
import { identityOf } from "./open-files.js";
import { openDatabase } from "./sqlite.js";
import { completeSwap, isSwapping, KEPT, LOGS, PARTIAL, type SwapMeans, swapStore } from "./swap-store.js";

const KEPT_NAME = /\.before-restore-\d{8}T\d{6}Z(-\d+)?$/;

/** Bytes. */
const COPIED_AT_ONCE = 1024 * 1024;

export interface Restoring<T> {
  readonly dataDir: string;
  /** Path of the backup. */
  readonly file: string;
  /** Time of the restore, ms since the epoch: a part of the name under which the present store is kept. */
  readonly at: number;
  /**
   * Inspects the copy, in this version's schema, before it becomes the store.
   * @throws StoreError; nothing changes then
   */
  readonly inspect: (copy: string) => T;
  /** How files are renamed; tests replace this. */
  readonly means?: SwapMeans;
}

/** Where the files are after a restore. */
export interface Swapped<T> {
  /** What `inspect` returned. */
  readonly inspected: T;
  readonly store: string;
  /** Files of the store that was there before; empty if there was none. */
  readonly kept: readonly string[];
}

/**
 * Restores a backup; the backup's file stays unchanged.
 * @throws StoreError if a service runs on the folder, the backup cannot be used, or the folder cannot be written or has
 *   a link in place of a file of the store. The present store is then unchanged, or the next start completes the
 *   restore.
 */
export function restoreStore<T>(restoring: Restoring<T>): Swapped<T> {
  const { dataDir, file } = restoring;
  try {
    requireBackup(file, join(dataDir, STORE_FILE));
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    requireNoLinks(dataDir);
    return whileLocked(dataDir, () => copyAndSwap(restoring));
  } catch (error) {
    const explanation = explained(error, dataDir);
    throw explanation instanceof LedgerError ? new StoreError(explanation.message, { cause: error }) : explanation;
  }
}

function requireBackup(file: string, store: string): void {
  const status = statSync(file, { throwIfNoEntry: false });
  if (!status) throw new StoreError(`there is no ${file}`);
  if (!status.isFile()) throw new StoreError(`${file} is not a file`);
  if (status.size === 0) throw new StoreError(`${file} is not a backup: it is empty`);
  if (identityOf(file) === identityOf(store)) throw new StoreError(`${file} is the store itself`);
  const log = LOGS.map((suffix) => file + suffix).find((name) => sizeOf(name) > 0);
  if (log !== undefined && !KEPT_NAME.test(file)) {
    throw new StoreError(
      `${file} is not a backup: ${log} beside it has a part of its receipts. Copy that store with "tillseal backup" first`,
    );
  }
}

/**
 * Refuses links in the place of the store's files. Root may run a restore in a folder of another user, and through a
 * link root would read or replace files anywhere.
 * @throws StoreError
 */
function requireNoLinks(dataDir: string): void {
  const link = readdirSync(dataDir, { withFileTypes: true }).find(
    (entry) => entry.isSymbolicLink() && (entry.name.startsWith(STORE_FILE) || entry.name === LOCK_FILE),
  );
  if (link) throw new StoreError(`${join(dataDir, link.name)} is a link; remove it, and restore again`);
}

/** Runs a task while no service can start. */
function whileLocked<T>(dataDir: string, task: () => T): T {
  const unlocked = !hasLockFile(dataDir);
  const lock = lockFolder(dataDir);
  if (!lock) throw new StoreError(inUse(dataDir));
  try {
    // While a restore is interrupted, the store is not opened: SQLite would write the old store's log into the new store.
    if (unlocked && !isSwapping(join(dataDir, STORE_FILE))) requireNoWriter(dataDir);
    return task();
  } finally {
    lock.release();
  }
}

/** @throws StoreError if a service whose lock file was deleted still holds the store */
function requireNoWriter(dataDir: string): void {
  const file = join(dataDir, STORE_FILE);
  if (!existsSync(file)) return;
  const db = openDatabase(file, { timeout: 0 });
  try {
    db.exec("BEGIN IMMEDIATE; ROLLBACK");
  } catch (error) {
    const fault = explained(error, dataDir);
    if (fault instanceof LedgerError && fault.fault === "busy") throw new StoreError(inUse(dataDir, "another program"));
    // Ignore all other errors: a damaged store is a reason to restore a backup.
  } finally {
    db.close();
  }
}

function copyAndSwap<T>({ dataDir, file, at, inspect, means }: Restoring<T>): Swapped<T> {
  const store = join(dataDir, STORE_FILE);
  const copy = store + PARTIAL;
  try {
    // Complete an interrupted restore first. Otherwise a store could keep the log of another store.
    completeSwap(store);
    removeCopy(copy);
    for (const suffix of ["", ...LOGS]) if (existsSync(file + suffix)) copyPrivately(file + suffix, copy + suffix);
    prepare(copy, file);
    const inspected = inspect(copy);
    syncFile(copy);
    const kept = swapStore(store, freeName(store, at), means);
    return { inspected, store, kept };
  } catch (error) {
    // While the note of swap-store.ts exists, the next start needs the copy.
    if (!isSwapping(store)) removeCopy(copy);
    throw error;
  }
}

/** Brings the copy to this version's schema, in one file. @throws StoreError if the copy is not a whole store */
function prepare(copy: string, backup: string): void {
  const broken = (reason: string) => new StoreError(`${backup} is not an intact backup: ${reason}`);
  try {
    const db = openDatabase(copy);
    try {
      if (db.pragma("user_version", { simple: true }) === 0) {
        throw new StoreError(`${backup} is not a backup of tillseal: it has no receipts' tables`);
      }
      migrate(db, backup, () => undefined);
      db.pragma("journal_mode = DELETE");
      const check = db.pragma("integrity_check", { simple: true });
      if (check !== "ok") throw broken(String(check));
    } finally {
      db.close();
    }
  } catch (error) {
    const fault = explained(error, backup);
    throw fault instanceof LedgerError && fault.fault === "damaged" ? broken((error as Error).message) : error;
  }
}

function freeName(store: string, at: number): string {
  const time = new Date(at).toISOString().replace(/[-:]|\.\d+/g, "");
  const first = `${store}${KEPT}${time}`;
  for (let count = 2, name = first; ; count++) {
    if (["", ...LOGS].every((suffix) => !existsSync(name + suffix))) return name;
    name = `${first}-${count}`;
  }
}

/** Copies a file. The new file is private before it contains a byte. */
function copyPrivately(from: string, to: string): void {
  const source = openSync(from, "r");
  try {
    const target = openSync(to, "wx", OWNER_ONLY);
    try {
      const piece = Buffer.allocUnsafe(COPIED_AT_ONCE);
      for (let read = readSync(source, piece); read > 0; read = readSync(source, piece)) {
        writeFileSync(target, piece.subarray(0, read));
      }
    } finally {
      closeSync(target);
    }
  } finally {
    closeSync(source);
  }
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
