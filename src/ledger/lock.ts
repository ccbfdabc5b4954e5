/**
 * One process owns a data folder: two services with one card's receipts would corrupt them. This lock is the first
 * barrier, which older versions respect too; write-lock.ts protects the store. It is a separate SQLite file: the operating
 * system releases it when its holder ends, and the store can be read and backed up meanwhile.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../base/thrown.js";
import { openDatabase } from "./sqlite.js";

export const LOCK_FILE = "tillseal.lock";

export interface FolderLock {
  release(): void;
}

/** Undefined if another process holds the lock. */
export function lockFolder(dataDir: string): FolderLock | undefined {
  const db = openDatabase(join(dataDir, LOCK_FILE), { timeout: 0 });
  try {
    db.pragma("locking_mode = EXCLUSIVE");
    // The first write takes the lock; the connection keeps it until it is closed.
    db.exec("BEGIN EXCLUSIVE; COMMIT");
  } catch (error) {
    db.close();
    if (codeOf(error)?.startsWith("SQLITE_BUSY")) return undefined;
    throw error;
  }
  return { release: () => void db.close() };
}

/** Whether the lock file exists, which any service leaves in its folder. */
export function hasLockFile(dataDir: string): boolean {
  return existsSync(join(dataDir, LOCK_FILE));
}
