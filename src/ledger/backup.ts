/** A copy of the store that is consistent while the service goes on selling. */
import { existsSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createPrivate } from "../private-file.js";
import { syncFile, syncFolder } from "../write-durably.js";
import { STORE_FILE, StoreError } from "./database.js";
import { explained } from "./faults.js";
import { LedgerError } from "./ledger.js";
import { openDatabase } from "./sqlite.js";

/** Pages in one step: all. A copy in steps begins anew with every sale in between. */
const ALL = 0x7fff_ffff;

/**
 * The copy has its name only when it is whole and on the disk.
 * @returns the number of invoices in the copy
 * @throws StoreError where there is no store, the target exists, or the copy cannot be written
 */
export async function backupStore(dataDir: string, target: string): Promise<number> {
  const file = join(dataDir, STORE_FILE);
  if (!existsSync(file)) throw new StoreError(`there is no ${file}; --data-dir names the folder of the service`);
  if (existsSync(target)) throw new StoreError(`${target} exists already; a backup never overwrites another`);
  const folder = dirname(target);
  if (!existsSync(folder)) throw new StoreError(`there is no folder ${folder}; make it first`);
  const partial = `${target}.partial`;
  try {
    removeCopy(partial);
    createPrivate(partial);
    await copyStore(file, partial);
    const count = checkedCount(partial);
    syncFile(partial);
    renameSync(partial, target);
    syncFolder(folder);
    return count;
  } catch (error) {
    removeCopy(partial);
    const told = explained(error, folder);
    if (!(told instanceof LedgerError)) throw told;
    throw new StoreError(told.fault === "damaged" ? (explained(error, dataDir) as Error).message : told.message);
  }
}

/** Also what a run that was killed has left. */
function removeCopy(partial: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(partial + suffix, { force: true });
}

async function copyStore(file: string, partial: string): Promise<void> {
  const db = openDatabase(file, { readonly: true });
  try {
    await db.backup(partial, { progress: () => ALL });
  } finally {
    db.close();
  }
}

/** A copy that cannot be read is found now, not on the day it is needed. */
function checkedCount(partial: string): number {
  const copy = openDatabase(partial);
  try {
    // One file, which can be read where nothing can be written.
    copy.pragma("journal_mode = DELETE");
    if (copy.pragma("integrity_check", { simple: true }) !== "ok") {
      throw new StoreError(`the copy would be damaged, as the store is: run "tillseal verify"`);
    }
    return Number(copy.prepare("SELECT count(*) FROM invoices WHERE state = 'complete'").pluck().get());
  } finally {
    copy.close();
  }
}
