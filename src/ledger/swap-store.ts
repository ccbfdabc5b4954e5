/**
 * Puts a checked copy in the place of a store. A power cut or a kill at any moment leaves a state from which the next
 * start continues: a note in the folder has the hash of the copy until everything is done. SQLite replays a log over
 * any file that has the store's name. Therefore the log of the present store is copied away before the copy gets that
 * name, and the log is moved away afterwards. The log may have sales that are nowhere else. It stays in its place
 * unless the hash shows that the store is the copy.
 */
import { createHash } from "node:crypto";
import { closeSync, constants, copyFileSync, existsSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makePrivate } from "../base/private-file.js";
import { renamePatiently } from "../base/rename-patiently.js";
import { syncFile, syncFolder, writeDurably } from "../base/write-durably.js";
import { removeReceiptIndex } from "./receipt-index.js";
import { StoreError } from "./sqlite.js";

/** Endings of a store's logs. SQLite makes the file with the ending `-shm` again from the one with `-wal`. */
export const LOGS = ["-wal", "-journal"] as const;
const PARTS = ["", ...LOGS] as const;

/** Ending of an unfinished copy. The copy stays in the folder if the process is killed. */
export const PARTIAL = ".partial";

export const KEPT = ".before-restore-";
/** Ending of the note, after the name of the store. */
const NOTE = ".restoring";

/** Bytes. */
const READ_AT_ONCE = 1024 * 1024;

export interface SwapMeans {
  readonly rename: (from: string, to: string) => void;
}

/**
 * Replaces the store by the copy beside it, `tillseal.db.partial`. The caller has checked the copy and written it to
 * the disk.
 * @param kept the present store gets this name
 * @returns the files of the store that was there, under their new names
 * @throws the system's error. The present store is then unchanged, or the copy already has its name and the next start
 *   completes the restore
 */
export function swapStore(store: string, kept: string, means?: SwapMeans): readonly string[] {
  try {
    writeDurably(store + NOTE, `${basename(kept)}\n${hashOf(store + PARTIAL)}\n`);
    return complete(store, kept, means);
  } catch (error) {
    if (existsSync(store + PARTIAL)) undo(store, kept);
    throw error;
  }
}

/**
 * Completes a restore that was interrupted.
 * @returns the files of the store that was there before; undefined if no restore was interrupted
 * @throws StoreError that says what to do, if the copy is gone and did not become the store; nothing changes
 */
export function completeSwap(store: string): readonly string[] | undefined {
  if (!isSwapping(store)) return undefined;
  const { kept, hash } = noteIn(store);
  if (!existsSync(store + PARTIAL) && !(existsSync(store) && hashOf(store) === hash)) {
    throw new StoreError(
      `a restore of ${store} was interrupted, and its copy ${store + PARTIAL} is gone. What the folder has is not that copy: ` +
        `probably it is the store from before. Delete ${store + NOTE} to go on with it. Nothing was deleted`,
    );
  }
  return complete(store, kept);
}

/** Whether a restore was interrupted. Its copy must then not be deleted. */
export function isSwapping(store: string): boolean {
  return existsSync(store + NOTE);
}

/**
 * @throws StoreError if a restore was interrupted: the file with the store's name may have another store's log beside
 *   it
 */
export function requireNoSwap(store: string): void {
  if (!isSwapping(store)) return;
  throw new StoreError(`a restore of ${store} was interrupted; start the service once: it completes the restore`);
}

/** Refuses to make an empty store beside the copy of an interrupted restore. @throws StoreError that says what to do */
export function requireNoCopy(store: string): void {
  const copy = store + PARTIAL;
  if (existsSync(store) || !existsSync(copy)) return;
  throw new StoreError(
    `there is no ${store}, but ${copy}: a restore was interrupted. Run tillseal restore again, or delete that file for an ` +
      "empty store",
  );
}

function complete(store: string, kept: string, { rename }: SwapMeans = { rename: renamePatiently }) {
  const folder = dirname(store);
  if (existsSync(store + PARTIAL)) {
    for (const suffix of PARTS) if (existsSync(store + suffix)) copyDurably(store + suffix, kept + suffix);
    syncFolder(folder);
    rename(store + PARTIAL, store);
    syncFolder(folder);
  }
  // The logs were copied already. They are renamed and not deleted, so that nothing is lost in any case.
  for (const suffix of LOGS) if (existsSync(store + suffix)) renamePatiently(store + suffix, kept + suffix);
  rmSync(`${store}-shm`, { force: true });
  // The index has the receipts of the previous store. The service makes a new index.
  removeReceiptIndex(folder);
  syncFolder(folder);
  rmSync(store + NOTE);
  syncFolder(folder);
  return PARTS.map((suffix) => kept + suffix).filter((name) => existsSync(name));
}

/**
 * Undoes a failed restore. The note is removed first: without the note, the next start leaves the store and its log
 * unchanged.
 */
function undo(store: string, kept: string): void {
  try {
    rmSync(store + NOTE, { force: true });
    syncFolder(dirname(store));
    for (const suffix of PARTS) rmSync(kept + suffix, { force: true });
  } catch {
    // The caller throws why the restore failed. Files that could not be removed here do no harm.
  }
}

/**
 * Reads the note: the path under which the present store is kept, and the hash of the copy. The path is never outside
 * of the folder. If the note is damaged, the path ends in `unknown`.
 */
function noteIn(store: string): { kept: string; hash: string | undefined } {
  const [name = "", hash] = readFileSync(store + NOTE, "utf8").split("\n");
  const beginning = basename(store) + KEPT;
  const known = name === basename(name) && name.startsWith(beginning);
  return { kept: join(dirname(store), known ? name : `${beginning}unknown`), hash };
}

/** SHA-256 of a file of any size. */
function hashOf(file: string): string {
  const hash = createHash("sha256");
  const piece = Buffer.allocUnsafe(READ_AT_ONCE);
  const source = openSync(file, "r");
  try {
    for (let read = readSync(source, piece); read > 0; read = readSync(source, piece)) {
      hash.update(piece.subarray(0, read));
    }
  } finally {
    closeSync(source);
  }
  return hash.digest("hex");
}

function copyDurably(from: string, to: string): void {
  // On a file system that can share blocks, the copy needs no additional space.
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  makePrivate(to);
  syncFile(to);
}
