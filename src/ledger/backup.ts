/** A copy of the store that is consistent while the service goes on selling. */
import { existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { createPrivate } from "../private-file.js";
import { renamePatiently } from "../rename-patiently.js";
import { syncFile, syncFolder } from "../write-durably.js";
import { STORE_FILE, StoreError } from "./database.js";
import { explained } from "./faults.js";
import { LedgerError } from "./ledger.js";
import { SQL } from "./sql.js";
import { openDatabase } from "./sqlite.js";

/** Pages in one step: all. */
const ALL = 0x7fff_ffff;

/** What of a file that is not a backup yet is left where its maker was killed. */
export const PARTIAL = ".partial";

export interface BackupOptions {
  /** Pages in one step; default: all. */
  readonly pages?: number;
  /** Called after each step. */
  readonly pause?: () => void;
  /** Looks at the whole copy, which has another name still. @throws StoreError the copy gets no name */
  readonly look?: (copy: string) => void;
}

/**
 * The copy has its name only when it is whole and on the disk.
 * @returns the number of invoices in the copy
 * @throws StoreError where there is no store, the target exists, or the copy cannot be written
 */
export async function backupStore(
  dataDir: string,
  target: string,
  { pages = ALL, pause = () => undefined, look = () => undefined }: BackupOptions = {},
): Promise<number> {
  const file = join(dataDir, STORE_FILE);
  if (!existsSync(file)) throw new StoreError(`there is no ${file}; --data-dir names the folder of the service`);
  if (existsSync(target)) throw new StoreError(`${target} exists already; a backup never overwrites another`);
  const folder = dirname(target);
  if (!existsSync(folder)) throw new StoreError(`there is no folder ${folder}; make it first`);
  const partial = target + PARTIAL;
  try {
    removeCopy(partial);
    createPrivate(partial);
    await copyStore(file, partial, () => {
      pause();
      return pages;
    });
    const count = checkedCount(partial);
    look(partial);
    syncFile(partial);
    renamePatiently(partial, target);
    syncFolder(folder);
    return count;
  } catch (error) {
    removeCopy(partial);
    const told = explained(error, folder);
    if (!(told instanceof LedgerError)) throw told;
    throw new StoreError(told.fault === "damaged" ? (explained(error, dataDir) as Error).message : told.message);
  }
}

/** Also what a run that was killed has left. @param partial with its ending */
export function removeCopy(partial: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(partial + suffix, { force: true });
}

/** @param step called after each step @returns how many pages the next one has */
async function copyStore(file: string, partial: string, step: () => number): Promise<void> {
  const db = openDatabase(file, { readonly: true });
  try {
    // All steps copy the store as it is now. Without this the copy would begin anew with every sale in between.
    db.exec("BEGIN");
    db.prepare("SELECT count(*) FROM sqlite_schema").get();
    await db.backup(partial, { progress: step });
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
    return Number(copy.prepare(SQL.receiptCount).pluck().get());
  } finally {
    copy.close();
  }
}
