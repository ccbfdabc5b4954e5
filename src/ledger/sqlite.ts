/** Opens SQLite's databases through better-sqlite3 (decision 0002). */
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import { createPrivate, makePrivate } from "../base/private-file.js";
import { messageOf } from "../base/thrown.js";
import { StoreError } from "./ledger.js";

export { StoreError };
export type Db = BetterSqlite3.Database;
export type Statement = BetterSqlite3.Statement;
export type RunResult = BetterSqlite3.RunResult;

export const IN_MEMORY = ":memory:";

/** What opens databases, once this process has loaded it. */
let loaded: typeof BetterSqlite3 | undefined;

/** @throws StoreError if SQLite does not load. better-sqlite3 loads its binary only when it opens a database. */
function load(): typeof BetterSqlite3 {
  try {
    const Database = createRequire(import.meta.url)("better-sqlite3") as typeof BetterSqlite3;
    new Database(IN_MEMORY).close();
    return Database;
  } catch (error) {
    const [reason] = messageOf(error).split("\n");
    const { bun, deno, node } = process.versions;
    if (bun ?? deno)
      throw new StoreError(`SQLite does not load in ${bun ? "Bun" : "Deno"}: ${reason}. Run tillseal with Node.js`);
    throw new StoreError(
      `SQLite for Node.js ${node} is missing: ${reason}. Install tillseal again; in a checkout, run npm ci`,
    );
  }
}

/**
 * @param file path of a file, {@link IN_MEMORY}, or the bytes of a database, which then has no file
 * @throws StoreError if SQLite does not load; SQLite's error if the file cannot be opened
 */
export function openDatabase(file: string | Buffer, options: BetterSqlite3.Options = {}): Db {
  loaded ??= load();
  if (!options.readonly && typeof file === "string" && file !== IN_MEMORY) makeFilesPrivate(file);
  return new loaded(file, options);
}

/**
 * Makes existing files private; SQLite gives its additional files the rights of the database. Never opens an existing
 * file: when a process closes a file, the process loses its locks on it (sqlite.org/howtocorrupt.html, section 2.2).
 */
function makeFilesPrivate(file: string): void {
  if (!existsSync(file)) createPrivate(file);
  for (const suffix of ["", "-journal", "-wal", "-shm"]) makePrivate(file + suffix);
}
