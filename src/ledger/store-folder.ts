/**
 * The folder of the store, in the data folder. A restore makes another folder beside it and renames both: SQLite would
 * replay the log of one store over the file of another. Files that outlive a store lie outside, such as the lock.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { readText } from "../base/read-text.js";
import { writeDurably } from "../base/write-durably.js";
import { StoreError } from "./ledger.js";

export const STORE_FOLDER = "store";
export const STORE_NAME = "tillseal.db";
export const STORE_FILE = join(STORE_FOLDER, STORE_NAME);
/** The folder that a restore makes. It stays if the process is killed. */
export const NEW_FOLDER = "store.new";
/** Beginning of the name of a folder that has the store from before a restore. */
export const KEPT = "store.before-restore-";
/** The file that shows that a data folder has had a store. A service would sign repeats again if that store is missing. */
export const STORE_MARK = "tillseal.store";

/** Name of the store that a data folder has had; undefined if it never had one. */
export function readMark(dataDir: string): string | undefined {
  const file = join(dataDir, STORE_MARK);
  return existsSync(file) ? readText(file).trim() : undefined;
}

export function writeMark(dataDir: string, store: string): void {
  writeDurably(join(dataDir, STORE_MARK), `${store}\n`);
}

/**
 * The error for a data folder that has had a store, which is missing or empty; undefined for all other folders.
 * @throws StoreError as {@link requireNoOtherStore}
 */
export function missingStore(dataDir: string): StoreError | undefined {
  requireNoOtherStore(dataDir);
  const file = join(dataDir, STORE_FILE);
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (size || readMark(dataDir) === undefined) return undefined;
  return new StoreError(
    `${dataDir} has had a store, and ${file} is ${size === 0 ? "empty" : "missing"}. Bring it back, or restore a backup: ` +
      "tillseal restore FILE. Without a backup, tillseal restore --none begins a new store and records that the receipts are lost",
  );
}

/**
 * The stores that restores have kept, the newest first. They may have sales that the backup did not have.
 * @returns their files; empty if the data folder cannot be read
 */
export function keptStores(dataDir: string): readonly string[] {
  return keptFolders(namesIn(dataDir)).map((name) => join(dataDir, name, STORE_NAME));
}

/** The file of the store. @throws StoreError if there is none */
export function existingStore(dataDir: string): string {
  const file = join(dataDir, STORE_FILE);
  const missing = missingStore(dataDir);
  if (missing) throw missing;
  if (existsSync(file)) return file;
  throw new StoreError(`there is no ${file}; --data-dir names the folder of the service`);
}

/** Refuses an empty store beside the store of an interrupted restore. @throws StoreError that says what to do */
export function requireNoOtherStore(dataDir: string): void {
  const store = join(dataDir, STORE_FOLDER);
  if (existsSync(store)) return;
  const names = namesIn(dataDir);
  if (names.includes(STORE_NAME)) {
    const file = join(dataDir, STORE_NAME);
    throw new StoreError(`a store's place is ${store}: move ${file} there, and all files that begin with ${file}-`);
  }
  const [kept] = keptFolders(names);
  const other = kept ?? names.find((name) => name === NEW_FOLDER);
  if (other === undefined) return;
  const orElse = kept ? `rename that folder to ${STORE_FOLDER}` : "delete that folder for an empty store";
  throw new StoreError(
    `there is no ${store}, but ${join(dataDir, other)}: a restore was interrupted. Run tillseal restore again, or ${orElse}`,
  );
}

const keptFolders = (names: readonly string[]) =>
  names
    .filter((name) => name.startsWith(KEPT))
    .toSorted()
    .toReversed();

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
