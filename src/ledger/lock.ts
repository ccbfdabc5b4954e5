/**
 * One process owns a data folder: two services on one card's receipts would sign against each other. This is the first
 * gate, which services of older versions respect too; hold.ts keeps the store itself. The lock is on a separate SQLite
 * file: the operating system frees it when its holder ends, and the store can be read and backed up meanwhile.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { codeOf } from "../error-code.js";
import { openDatabase } from "./sqlite.js";

export const LOCK_FILE = "tillseal.lock";

export interface FolderLock {
  release(): void;
}

/** Undefined where another process holds the lock. */
export function lockFolder(dataDir: string): FolderLock | undefined {
  const db = openDatabase(join(dataDir, LOCK_FILE), { timeout: 0 });
  try {
    db.pragma("locking_mode = EXCLUSIVE");
    // The lock is taken by the first write and kept until the connection is closed.
    db.exec("BEGIN EXCLUSIVE; COMMIT");
  } catch (error) {
    db.close();
    if (codeOf(error)?.startsWith("SQLITE_BUSY")) return undefined;
    throw error;
  }
  return { release: () => void db.close() };
}

/** Whether a service has had the folder and its lock file is still there. */
export function hasLockFile(dataDir: string): boolean {
  return existsSync(join(dataDir, LOCK_FILE));
}
