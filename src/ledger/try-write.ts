/** Whether a data folder takes an invoice again, once it has refused one. */
import { accessSync, constants, rmSync } from "node:fs";
import { join } from "node:path";
import { writeDurably } from "../write-durably.js";
import { STORE_FILE } from "./database.js";

/** More than any invoice but the largest needs. */
const ROOM = 64 * 1024;

/** Throws what the system says where it does not. */
export function tryWrite(dataDir: string): void {
  // Opening the store's file here would, when it is closed again, end the locks that SQLite has on it.
  accessSync(join(dataDir, STORE_FILE), constants.W_OK);
  const file = join(dataDir, "tillseal.room");
  try {
    writeDurably(file, " ".repeat(ROOM));
  } finally {
    rmSync(file, { force: true });
  }
}
