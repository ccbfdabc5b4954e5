/**
 * Makes a backup the store of a data folder. A power cut or a kill at any moment loses nothing: the copy is complete,
 * checked and on the disk, in a folder beside the store's, before the two folders are renamed.
 */
import {
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import type { EpochMs } from "../base/epoch-ms.js";
import { OWNER_ONLY } from "../base/private-file.js";
import { renamePatiently } from "../base/rename-patiently.js";
import { codeOf, messageOf } from "../base/thrown.js";
import { syncFile, syncFolder } from "../base/write-durably.js";
import { inUse, migrate, StoreError, storeName } from "./database.js";
import { explained } from "./faults.js";
import { asCaller } from "./folder-owner.js";
import { LedgerError } from "./ledger.js";
import { hasLockFile, lockFolder } from "./lock.js";
import { identityOf } from "./open-files.js";
import { openDatabase } from "./sqlite.js";
import { KEPT, keptStores, NEW_FOLDER, STORE_FILE, STORE_FOLDER, STORE_NAME, writeMark } from "./store-folder.js";

/** Endings of a store's logs. SQLite makes the file with the ending `-shm` again from the one with `-wal`. */
const LOGS = ["-wal", "-journal"] as const;

export interface Restoring<T> {
  readonly dataDir: string;
  readonly file: string;
  /** Time of the restore: a part of the name under which the present store is kept. */
  readonly at: EpochMs;
  /**
   * Inspects the copy, in this version's schema, before it becomes the store.
   * @throws StoreError; nothing changes then
   */
  readonly inspect: (copy: string) => T | Promise<T>;
}

export interface Restored<T> {
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
export async function restoreStore<T>(restoring: Restoring<T>): Promise<Restored<T>> {
  const { dataDir } = restoring;
  try {
    asCaller(() => requireBackup(restoring));
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    return await whileLocked(dataDir, () => copyAndRename(restoring));
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
async function whileLocked<T>(dataDir: string, task: () => Promise<T>): Promise<T> {
  const unlocked = !hasLockFile(dataDir);
  const lock = lockFolder(dataDir);
  if (!lock) throw new StoreError(inUse(dataDir));
  try {
    if (unlocked) requireNoWriter(dataDir);
    return await task();
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

async function copyAndRename<T>({ dataDir, file, at, inspect }: Restoring<T>): Promise<Restored<T>> {
  const [store, made, kept] = [join(dataDir, STORE_FOLDER), join(dataDir, NEW_FOLDER), freeName(dataDir, at)];
  const copy = join(made, STORE_NAME);
  const hasStore = existsSync(store);
  try {
    rmSync(made, { recursive: true, force: true });
    mkdirSync(made, { mode: 0o700 });
    // The copy belongs to the owner of the data folder.
    for (const suffix of ["", ...LOGS]) {
      const [from, fd] = [file + suffix, openPart(file + suffix)];
      if (fd === undefined) continue;
      await pipeline(
        createReadStream(from, { fd }),
        createWriteStream(copy + suffix, { flags: "wx", mode: OWNER_ONLY }),
      );
    }
    const name = prepare(copy, file);
    const inspected = await inspect(copy);
    syncFile(copy);
    syncFolder(made);
    if (hasStore) renameFolder(store, kept);
    renameFolder(made, store);
    writeMark(dataDir, name);
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

/**
 * Opens a file for reading with the rights of the data folder's owner, or else with those of the caller: a backup that
 * root made belongs to root. Root follows no link, because the owner could let it lead to any file.
 * @returns undefined if there is no such file
 */
function openPart(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    if (codeOf(error) !== "EACCES") throw error;
  }
  try {
    return asCaller(() => openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new StoreError(`${file} cannot be read: ${messageOf(error)}`);
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

/** Brings the copy to this version's schema, in one file. @returns its name @throws StoreError if it is no whole store */
function prepare(copy: string, backup: string): string {
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
      return storeName(db);
    } finally {
      db.close();
    }
  } catch (error) {
    const fault = explained(error, backup);
    throw fault instanceof LedgerError && fault.fault === "damaged" ? broken((error as Error).message) : error;
  }
}

function freeName(dataDir: string, at: number): string {
  const time = new Date(at).toISOString().replace(/[-:]|\.\d+/g, "");
  const first = join(dataDir, KEPT + time);
  for (let count = 2, name = first; ; count++) {
    if (!existsSync(name)) return name;
    name = `${first}-${count}`;
  }
}
