/** Checks that a foreign database file is a store and nothing else: extra objects such as triggers could act on our writes. */
import { StoreError } from "./database.js";
import { MIGRATIONS } from "./migrations.js";
import { type Db, openDatabase } from "./sqlite.js";

/**
 * Compares its tables, indexes, triggers and views with those of this version, for which it creates an empty store
 * beside it.
 * @param file in a temporary folder; nothing else writes it meanwhile
 * @throws StoreError if it is another version's, damaged, or has other objects
 */
export function requireOwnSchema(file: string): void {
  const foreign = openDatabase(file, { readonly: true });
  try {
    const version = Number(foreign.pragma("user_version", { simple: true }));
    if (version !== MIGRATIONS.length) {
      throw new StoreError(`the store has schema ${version}, this tillseal has ${MIGRATIONS.length}`);
    }
    if (JSON.stringify(objectsOf(foreign)) !== JSON.stringify(ownObjects(`${file}.own`))) {
      throw new StoreError("the store has objects that tillseal does not create");
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
  // SQLite creates these itself, for ANALYZE and AUTOINCREMENT.
  const query =
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name";
  return db.prepare(query).all();
}
