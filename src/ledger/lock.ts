/**
 * Only one process may own a data folder, because two services would corrupt a card's receipts. This lock is the first
 * protection, which older versions respect too; write-lock.ts protects the store itself. The lock is a separate SQLite
 * file: the operating system releases the lock when its process ends, and the store can be read and backed up while the
 * lock is held.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../base/thrown.js";
import { type Db, openDatabase } from "./sqlite.js";

const LOCK_FILE = "tillseal.lock";

export interface FolderLock {
  release(): void;
}

/** Locks a data folder. @returns undefined if another process holds the lock */
export function lockFolder(dataDir: string): FolderLock | undefined {
  const db = openDatabase(join(dataDir, LOCK_FILE), { timeout: 0 });
  try {
    db.pragma("locking_mode = EXCLUSIVE");
    // The first write takes the lock; the connection keeps the lock until the connection is closed.
    db.exec("BEGIN EXCLUSIVE; COMMIT");
  } catch (error) {
    db.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return { release: () => void db.close() };
}

export function isLocked(dataDir: string): boolean {
  if (!hasLockFile(dataDir)) return false;
  let db: Db | undefined;
  try {
    db = openDatabase(join(dataDir, LOCK_FILE), { readonly: true, timeout: 0 });
    db.pragma("schema_version");
    return false;
  } catch (error) {
    return isBusy(error);
  } finally {
    db?.close();
  }
}

const isBusy = (error: unknown): boolean => codeOf(error)?.startsWith("SQLITE_BUSY") === true;

/** Whether a data folder has a lock file. Each service leaves one in its folder. */
export function hasLockFile(dataDir: string): boolean {
  return existsSync(join(dataDir, LOCK_FILE));
}
