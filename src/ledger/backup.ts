/** A copy of the store that is consistent while the service goes on selling. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createPrivate } from "../private-file.js";
import { STORE_FILE, StoreError } from "./database.js";
import { openDatabase } from "./sqlite.js";

/**
 * @returns the number of invoices in the copy
 * @throws StoreError where there is no store, or the target exists
 */
export async function backupStore(dataDir: string, target: string): Promise<number> {
  const file = join(dataDir, STORE_FILE);
  if (!existsSync(file)) throw new StoreError(`there is no ${file}; --data-dir names the folder of the service`);
  if (!createPrivate(target)) throw new StoreError(`${target} exists already; a backup never overwrites another`);
  const db = openDatabase(file, { readonly: true });
  try {
    await db.backup(target);
  } catch (error) {
    rmSync(target, { force: true });
    throw error;
  } finally {
    db.close();
  }
  const copy = openDatabase(target);
  try {
    // A copy that cannot be read is found now, not on the day it is needed.
    if (copy.pragma("integrity_check", { simple: true }) !== "ok") throw new StoreError(`${target} is damaged`);
    return Number(copy.prepare("SELECT count(*) FROM invoices WHERE state = 'complete'").pluck().get());
  } finally {
    copy.close();
  }
}
