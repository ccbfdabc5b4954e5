/**
 * Puts a checked copy in the place of a store. A power cut or a kill at any moment leaves a state that the next start continues
 * from: a note in the folder says which copy becomes the store, until everything is done. SQLite replays a log over any file of the
 * store's name, so the log of the present store is copied away before the copy gets the name, and removed after it.
 */
import { constants, copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makePrivate } from "../base/private-file.js";
import { renamePatiently } from "../base/rename-patiently.js";
import { syncFile, syncFolder, writeDurably } from "../base/write-durably.js";
import { removeReceiptIndex } from "./receipt-index.js";
import { StoreError } from "./sqlite.js";

/** A store's logs; SQLite makes `-shm` again from the first one. */
export const LOGS = ["-wal", "-journal"] as const;
const PARTS = ["", ...LOGS] as const;

/** Ending of an unfinished copy; it stays behind if the process is killed. */
export const PARTIAL = ".partial";

export const KEPT = ".before-restore-";
/** The note's name after the store's. */
const NOTE = ".restoring";

export interface SwapMeans {
  readonly rename: (from: string, to: string) => void;
}

/**
 * Makes the copy beside the store, `tillseal.db.partial`, the store. The caller has checked the copy, and it is on the disk.
 * @param kept the present store gets this name
 * @returns the files of the store that was there, under their new names
 * @throws the system's error; the present store is unchanged, unless the copy has its name already: then the next start continues
 */
export function swapStore(store: string, kept: string, means?: SwapMeans): readonly string[] {
  writeDurably(store + NOTE, `${basename(kept)}\n`);
  try {
    return complete(store, kept, means);
  } catch (error) {
    if (existsSync(store + PARTIAL)) undo(store, kept);
    throw error;
  }
}

/** Completes a restore that was interrupted. @returns the files of the store that was there; undefined if none was interrupted */
export function completeSwap(store: string): readonly string[] | undefined {
  return existsSync(store + NOTE) ? complete(store, keptIn(store)) : undefined;
}

/** @throws StoreError if a restore was interrupted: the file with the store's name may have another store's log beside it */
export function requireNoSwap(store: string): void {
  if (!existsSync(store + NOTE)) return;
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
  for (const suffix of [...LOGS, "-shm"]) rmSync(store + suffix, { force: true });
  // The index has the receipts of the previous store. The service makes a new index.
  removeReceiptIndex(folder);
  syncFolder(folder);
  rmSync(store + NOTE);
  syncFolder(folder);
  return PARTS.map((suffix) => kept + suffix).filter((name) => existsSync(name));
}

function undo(store: string, kept: string): void {
  for (const suffix of PARTS) rmSync(kept + suffix, { force: true });
  rmSync(store + NOTE);
}

/** The path that the note names, never outside of the folder. If the note is damaged, the name ends in `unknown`. */
function keptIn(store: string): string {
  const name = readFileSync(store + NOTE, "utf8").trim();
  const beginning = basename(store) + KEPT;
  const known = name === basename(name) && name.startsWith(beginning);
  return join(dirname(store), known ? name : `${beginning}unknown`);
}

function copyDurably(from: string, to: string): void {
  // A file system that can share blocks needs no more space.
  copyFileSync(from, to, constants.COPYFILE_FICLONE);
  makePrivate(to);
  syncFile(to);
}
