/** Makes a consistent copy of the store, also while the service signs sales. */
import { closeSync, existsSync, fstatSync, openSync, readSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { createPrivate } from "../base/private-file.js";
import { renamePatiently } from "../base/rename-patiently.js";
import { syncFile, syncFolder } from "../base/write-durably.js";
import { HEADER_BYTES, StoreError } from "./database.js";
import { explained } from "./faults.js";
import { asOwner } from "./folder-owner.js";
import { LedgerError } from "./ledger.js";
import { SQL } from "./sql.js";
import { type Db, openDatabase } from "./sqlite.js";
import { existingStore } from "./store-folder.js";

/** Ending of an unfinished copy. The copy stays if the process is killed. */
export const PARTIAL = ".partial";

/** Number of pages that is greater than that of any store: all pages are copied in one step. */
const ALL = 0x7fff_ffff;

interface BackupOptions {
  /** Number of pages that are copied in one step; default: all. */
  readonly pages?: number;
  /** Called after each step of the copying. */
  readonly pause?: () => void;
  /** Checks the finished copy before it gets its name. @throws StoreError; the copy then gets no name */
  readonly check?: (copy: string) => void;
}

/**
 * Backs up the store. The copy gets its name only when it is complete and on the disk.
 * @returns the number of complete receipts in the copy
 * @throws StoreError if there is no store, the target exists, or the copy cannot be written
 */
export async function backupStore(
  dataDir: string,
  target: string,
  { pages = ALL, pause = () => undefined, check = () => undefined }: BackupOptions = {},
): Promise<number> {
  const file = existingStore(dataDir);
  if (existsSync(target)) throw new StoreError(`${target} exists already; a backup never overwrites another`);
  const folder = dirname(target);
  if (!existsSync(folder)) throw new StoreError(`the folder ${folder} does not exist; create it first`);
  const partial = target + PARTIAL;
  let source: Db | undefined;
  try {
    const snapshot = asOwner(() => openDatabase(file, { readonly: true }));
    source = snapshot;
    asOwner(() => snapshot.exec("BEGIN; SELECT count(*) FROM sqlite_schema"));
    removeCopy(partial);
    createPrivate(partial);
    // The transaction makes all steps copy the store as it is now. Without the transaction, each sale in between would
    // restart the copy.
    await snapshot.backup(partial, {
      progress: () => {
        pause();
        return pages;
      },
    });
    const count = checkedCount(partial);
    check(partial);
    syncFile(partial);
    renamePatiently(partial, target);
    syncFolder(folder);
    return count;
  } catch (error) {
    removeCopy(partial);
    const problem = explained(error, folder);
    throw problem instanceof LedgerError && problem.fault === "damaged" ? explained(error, dataDir) : problem;
  } finally {
    source?.close();
  }
}

/** Removes an unfinished copy, also one that a killed run has left. @param partial its path, with the ending */
export function removeCopy(partial: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(partial + suffix, { force: true });
}

/** Whether a file has the header of an SQLite file and the size that follows from it: page size times pages. */
export function hasWholeSize(file: string): boolean {
  let open: number | undefined;
  try {
    open = openSync(file, "r");
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(open, header) < HEADER_BYTES || !header.toString("latin1").startsWith("SQLite format 3\0"))
      return false;
    const size = header.readUInt16BE(16);
    return fstatSync(open).size === (size === 1 ? 65_536 : size) * header.readUInt32BE(28);
  } catch {
    return false;
  } finally {
    if (open !== undefined) closeSync(open);
  }
}

/** Whether SQLite's quick check finds a backup intact. It reads the whole file. */
export function isIntactFile(file: string): boolean {
  try {
    const db = openDatabase(file, { readonly: true });
    try {
      return db.pragma("quick_check(1)", { simple: true }) === "ok";
    } finally {
      db.close();
    }
  } catch {
    return false;
  }
}

/**
 * Checks the copy, so that an unreadable copy is found now and not when it is needed.
 * @returns the number of complete receipts
 */
function checkedCount(partial: string): number {
  const copy = openDatabase(partial);
  try {
    // Makes the copy a single file, which can be read on a read-only disk.
    copy.pragma("journal_mode = DELETE");
    if (copy.pragma("integrity_check", { simple: true }) !== "ok") {
      throw new StoreError(`the copy would be damaged, as the store is: run "tillseal verify"`);
    }
    return Number(copy.prepare(SQL.receiptCount).pluck().get());
  } finally {
    copy.close();
  }
}
