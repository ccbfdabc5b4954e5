/** The SQLite file: opened, migrated, durable. Only this folder knows the database. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { MIGRATIONS } from "./migrations.js";

export type Db = Database.Database;

const FILE_NAME = "tillseal.db";

/** The store cannot be used; the message says what to do. */
export class StoreError extends Error {
  override readonly name = "StoreError";
}

/**
 * Opens the store of a data folder and brings it to this version's schema.
 * @throws StoreError where another process holds it or a newer version wrote it
 */
export function openDatabase(dataDir: string): Db {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = join(dataDir, FILE_NAME);
  const db = new Database(file, { timeout: 1000 });
  try {
    // One process owns the store: two services on one card's receipts would sign against each other.
    db.pragma("locking_mode = EXCLUSIVE");
    db.pragma("journal_mode = WAL");
    // A commit is on the disk when it returns: intent before the card, answer before the reply (design, "never", 1).
    db.pragma("synchronous = FULL");
    migrate(db, file);
  } catch (error) {
    db.close();
    if (error instanceof Error && "code" in error && error.code === "SQLITE_BUSY") {
      throw new StoreError(`${file} is in use by another tillseal; stop it or choose another data folder`);
    }
    throw error;
  }
  return db;
}

function migrate(db: Db, file: string): void {
  const version = Number(db.pragma("user_version", { simple: true }));
  if (version > MIGRATIONS.length) {
    throw new StoreError(
      `${file} was written by a newer tillseal (schema ${version}, this one knows ${MIGRATIONS.length})`,
    );
  }
  db.transaction(() => {
    for (const sql of MIGRATIONS.slice(version)) db.exec(sql);
    db.pragma(`user_version = ${MIGRATIONS.length}`);
  }).immediate();
}
