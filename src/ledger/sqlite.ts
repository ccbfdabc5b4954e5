/** Opens SQLite's databases through better-sqlite3 (decision 0002). */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { createPrivate, makePrivate } from "../base/private-file.js";
import { StoreError } from "./ledger.js";

export { StoreError };
export type Db = BetterSqlite3.Database;
export type Statement = BetterSqlite3.Statement;
export type RunResult = BetterSqlite3.RunResult;

/** A database without a file. */
export const IN_MEMORY = ":memory:";

/**
 * @param file path of a file, {@link IN_MEMORY}, or the bytes of a database, which then has no file
 * @throws StoreError if npm left out the module because it could not build it; SQLite's error if the file cannot be
 *   opened
 */
export function openDatabase(file: string | Buffer, options: BetterSqlite3.Options = {}): Db {
  let Database: typeof BetterSqlite3;
  try {
    Database = createRequire(import.meta.url)("better-sqlite3") as typeof BetterSqlite3;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n")[0] : String(error);
    const node = process.versions.node;
    throw new StoreError(
      `SQLite for Node ${node} is missing: ${reason}. If Node has changed since the installation, run npm ci, then npm run build`,
    );
  }
  if (!options.readonly && typeof file === "string" && file !== IN_MEMORY) makeFilesPrivate(file);
  return new Database(file, options);
}

/**
 * Makes existing files private; SQLite gives its additional files the rights of the database. Never opens an existing
 * file: when a process closes a file, the process loses its locks on it (sqlite.org/howtocorrupt.html, section 2.2).
 */
function makeFilesPrivate(file: string): void {
  if (!existsSync(file)) createPrivate(file);
  for (const suffix of ["", "-journal", "-wal", "-shm"]) makePrivate(file + suffix);
}
