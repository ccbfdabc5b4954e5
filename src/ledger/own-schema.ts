/** Checks that a foreign database file is a store and nothing else: extra objects such as triggers could act on our writes. */
import { StoreError } from "./database.js";
import { SCHEMA_VERSION, stepsFrom } from "./schema.js";
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
    if (version !== SCHEMA_VERSION) {
      throw new StoreError(`the store has schema ${version}, this tillseal has ${SCHEMA_VERSION}`);
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
    for (const sql of stepsFrom(0) ?? []) own.exec(sql);
    return objectsOf(own);
  } finally {
    own.close();
  }
}

function objectsOf(db: Db): unknown[] {
  // SQLite creates these itself, for ANALYZE and AUTOINCREMENT.
  const query =
    "SELECT type, name, tbl_name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name";
  const objects = db.prepare<[], { sql: string }>(query).all();
  return objects.map((object) => ({ ...object, sql: tokensOf(object.sql) }));
}

const TOKEN = /--.*|'(?:[^']|'')*'|"(?:[^"]|"")*"|\w+|\S/g;

/** The SQL text that SQLite keeps has our comments and spaces, which may differ, and quotes around a renamed table. */
function tokensOf(sql: string): string[] {
  const tokens = sql.match(TOKEN) ?? [];
  return tokens.filter((token) => !token.startsWith("--")).map((token) => token.replace(/^"(\w+)"$/, "$1"));
}
