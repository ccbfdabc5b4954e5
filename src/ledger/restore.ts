/**
 * Makes a backup the store of a data folder. A power cut or a kill at any moment loses nothing: the copy is complete,
 * checked and on the disk, in a folder beside the store's, before the two folders are renamed.
 */

import { copyFileSync, existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { EpochMs } from "../base/epoch-ms.js";
import { renamePatiently } from "../base/rename-patiently.js";
import { messageOf } from "../base/thrown.js";
import { syncFile, syncFolder } from "../base/write-durably.js";
import { inUse, migrate, StoreError } from "./database.js";
import { explained } from "./faults.js";
import { LedgerError } from "./ledger.js";
import { hasLockFile, lockFolder } from "./lock.js";
import { identityOf } from "./open-files.js";
import { openDatabase } from "./sqlite.js";
import { KEPT, keptStores, NEW_FOLDER, STORE_FILE, STORE_FOLDER, STORE_NAME } from "./store-folder.js";

/** Endings of a store's logs. SQLite makes the file with the ending `-shm` again from the one with `-wal`. */
const LOGS = ["-wal", "-journal"] as const;

export interface Restoring<T> {
  readonly dataDir: string;
  /** Path of the backup. */
  readonly file: string;
  /** Time of the restore: a part of the name under which the present store is kept. */
  readonly at: EpochMs;
  /**
   * Inspects the copy, in this version's schema, before it becomes the store.
   * @throws StoreError; nothing changes then
   */
  readonly inspect: (copy: string) => T;
}

export interface Restored<T> {
  /** What `inspect` returned. */
  readonly inspected: T;
  readonly store: string;
  /** File of the store that was there before; null if there was none. */
  readonly kept: string | null;
}

/**
 * Restores a backup; the backup's file stays unchanged.
 * @throws StoreError if a service runs on the folder, the backup cannot be used, or the folder cannot be written. The
 *   present store is then unchanged
 */
export function restoreStore<T>(restoring: Restoring<T>): Restored<T> {
  const { dataDir } = restoring;
  try {
    requireBackup(restoring);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return whileLocked(dataDir, () => copyAndRename(restoring));
  } catch (error) {
    throw explained(error, dataDir);
  }
}

function requireBackup({ file, dataDir }: Restoring<unknown>): void {
  const status = statSync(file, { throwIfNoEntry: false });
  if (!status) throw new StoreError(`there is no ${file}`);
  if (!status.isFile()) throw new StoreError(`${file} is not a file`);
  if (status.size === 0) throw new StoreError(`${file} is not a backup: it is empty`);
  if ([STORE_FOLDER, NEW_FOLDER].some((folder) => identityOf(file) === identityOf(join(dataDir, folder, STORE_NAME)))) {
    throw new StoreError(`${file} is the store itself, or an unfinished copy`);
  }
  const log = LOGS.map((suffix) => file + suffix).find((name) => statSync(name, { throwIfNoEntry: false })?.size);
  if (log !== undefined && !basename(dirname(resolve(file))).startsWith(KEPT)) {
    throw new StoreError(
      `${file} is not a backup: ${log} beside it has a part of its receipts. Copy that store with "tillseal backup" first`,
    );
  }
}

/** Runs a task while no service can start. */
function whileLocked<T>(dataDir: string, task: () => T): T {
  const unlocked = !hasLockFile(dataDir);
  const lock = lockFolder(dataDir);
  if (!lock) throw new StoreError(inUse(dataDir));
  try {
    if (unlocked) requireNoWriter(dataDir);
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

function copyAndRename<T>({ dataDir, file, at, inspect }: Restoring<T>): Restored<T> {
  const [store, made, kept] = [join(dataDir, STORE_FOLDER), join(dataDir, NEW_FOLDER), freeName(dataDir, at)];
  const copy = join(made, STORE_NAME);
  const hasStore = existsSync(store);
  try {
    rmSync(made, { recursive: true, force: true });
    mkdirSync(made, { mode: 0o700 });
    for (const suffix of ["", ...LOGS]) if (existsSync(file + suffix)) copyFileSync(file + suffix, copy + suffix);
    prepare(copy, file);
    const inspected = inspect(copy);
    syncFile(copy);
    syncFolder(made);
    if (hasStore) renameFolder(store, kept);
    renameFolder(made, store);
    // If there was no store, an interrupted restore may have kept it.
    const before = hasStore ? join(kept, STORE_NAME) : (keptStores(dataDir)[0] ?? null);
    return { inspected, store: join(dataDir, STORE_FILE), kept: before };
  } catch (error) {
    if (existsSync(kept)) {
      if (existsSync(store)) renamePatiently(store, made);
      renameFolder(kept, store);
    }
    try {
      rmSync(made, { recursive: true, force: true });
    } catch {
      // Windows removes no file that another program has open. The next restore removes what stays.
    }
    throw error;
  }
}

/** @throws StoreError that says what to do: Windows renames no folder while a program has a file in it open */
function renameFolder(from: string, to: string): void {
  try {
    renamePatiently(from, to);
  } catch (error) {
    throw new StoreError(
      `${from} cannot be renamed to ${to} (${messageOf(error)}). Close all programs that may have a file in it open, ` +
        "such as a backup program or a window of the file manager, and run tillseal restore again",
      { cause: error },
    );
  }
  syncFolder(dirname(to));
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

/** A name for the present store's folder. */
function freeName(dataDir: string, at: number): string {
  const time = new Date(at).toISOString().replace(/[-:]|\.\d+/g, "");
  const first = join(dataDir, KEPT + time);
  for (let count = 2, name = first; ; count++) {
    if (!existsSync(name)) return name;
    name = `${first}-${count}`;
  }
}
