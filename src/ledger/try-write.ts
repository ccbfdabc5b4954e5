/** Checks whether a data folder can be written again after a failure. */
import { accessSync, constants, rmSync } from "node:fs";
import { join } from "node:path";
import { writeDurably } from "../base/write-durably.js";
import type { Store } from "./database.js";

/** Bytes: enough space for all but the largest invoices. */
const ROOM = 64 * 1024;

/** Writes a test file. @throws the system's error if the store or its data folder cannot be written */
export function tryWrite({ dataDir, files }: Pick<Store, "dataDir" | "files">): void {
  // Do not open the store's file here: closing it would release SQLite's locks on it.
  for (const file of files) accessSync(file, constants.W_OK);
  const file = join(dataDir, "tillseal.room");
  try {
    writeDurably(file, " ".repeat(ROOM));
  } finally {
    rmSync(file, { force: true });
  }
}
