/**
 * The stores that a restore has kept beside the present store (restore.ts). They may have sales that the backup did not
 * have.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { STORE_FILE } from "./database.js";
import { KEPT } from "./swap-store.js";

/** @returns the files of the kept stores, the newest first; empty if the folder cannot be read */
export function keptStores(dataDir: string): readonly string[] {
  const isKept = (name: string) => name.startsWith(STORE_FILE + KEPT) && /Z(-\d+)?$/.test(name);
  try {
    return readdirSync(dataDir)
      .filter(isKept)
      .toSorted()
      .toReversed()
      .map((name) => join(dataDir, name));
  } catch {
    return [];
  }
}
