/** Whether a database file from elsewhere is a store and nothing else: what it has besides could act on what we write. */
import { StoreError } from "./database.js";
import { MIGRATIONS } from "./migrations.js";
import { type Db, openDatabase } from "./sqlite.js";

/**
 * Compares its tables, indexes, triggers and views with those of this version. A store of this version is made beside it.
 * @param file in a folder that goes; nothing else writes it meanwhile
 * @throws StoreError where it is another version's, damaged, or has anything else
 */
export function requireOwnSchema(file: string): void {
  const foreign = openDatabase(file, { readonly: true });
  try {
    const version = Number(foreign.pragma("user_version", { simple: true }));
    if (version !== MIGRATIONS.length) {
      throw new StoreError(`the store has schema ${version}, this tillseal has ${MIGRATIONS.length}`);
    }
    if (JSON.stringify(objectsOf(foreign)) !== JSON.stringify(ownObjects(`${file}.own`))) {
      throw new StoreError("the store has tables that no tillseal has made");
    }
    const [check] = foreign.pragma("quick_check(1)") as { quick_check: string }[];
    if (check?.quick_check !== "ok") throw new StoreError("the store is damaged");
  } finally {
    foreign.close();
  }
}

function ownObjects(file: string): unknown[] {
  const own = openDatabase(file);
  try {
    own.function("checksum", { deterministic: true, varargs: true }, () => null);
    for (const sql of MIGRATIONS) own.exec(sql);
    return objectsOf(own);
  } finally {
    own.close();
  }
}

function objectsOf(db: Db): unknown[] {
  // SQLite makes these itself, for ANALYZE and for numbers that count on.
  const query =
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name";
  return db.prepare(query).all();
}
