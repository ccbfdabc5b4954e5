/**
 * The folder of the store, in the data folder. A restore makes another folder beside it and renames both: SQLite would
 * replay the log of one store over the file of another. Files that outlive a store lie outside, such as the lock.
 */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { StoreError } from "./ledger.js";

export const STORE_FOLDER = "store";
export const STORE_NAME = "tillseal.db";
/** The store's file in a data folder. */
export const STORE_FILE = join(STORE_FOLDER, STORE_NAME);
/** The folder that a restore makes. It stays if the process is killed. */
export const NEW_FOLDER = "store.new";
/** Beginning of the name of a folder that has the store from before a restore. */
export const KEPT = "store.before-restore-";

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
  if (existsSync(file)) return file;
  requireNoOtherStore(dataDir);
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
