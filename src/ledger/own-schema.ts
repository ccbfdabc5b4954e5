/**
 * Compares the objects in a database file with the objects that tillseal creates. Other objects, such as triggers,
 * could change what tillseal writes.
 */
import { StoreError } from "./ledger.js";
import { stepsFrom } from "./schema.js";
import { type Db, IN_MEMORY, openDatabase } from "./sqlite.js";

interface StoredObject {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  readonly sql: string;
}

/**
 * Lists the objects of a store of this version that tillseal does not create, that differ from tillseal's own, or that
 * are missing, such as `trigger thief` and `table invoices (changed)`.
 */
export function foreignObjects(db: Db): readonly string[] {
  const there = objectsIn(db);
  return [
    ...there.filter((object) => !isOwn(object)).map(nameOf),
    ...missingFrom(there).map(({ type, name }) => `${type} ${name} (missing)`),
  ];
}

/**
 * Checks a store of this version's schema.
 * @throws StoreError if one of our tables is missing or changed or has an index that is not ours, or if there are
 *   triggers or views. A foreign index with ON CONFLICT REPLACE would delete an earlier sale with each new sale, and a
 *   trigger could change what tillseal writes. Tables of other programs and plain indexes do no harm.
 */
export function requireOwnTables(db: Db, file: string): void {
  const isOurs = (table: string) => ownObjects().some((one) => one.table === table.toLowerCase());
  const there = objectsIn(db);
  const foreign = there.filter((object) => {
    const { type, name, table } = object;
    if (type === "trigger" || type === "view") return true;
    return isOurs(table) && !isOwn(object) && (isNamedAsOurs(name) || !isPlainIndex(db, name));
  });
  if (foreign.length > 0) {
    throw new StoreError(
      `${file} has objects that act on the receipts and that tillseal did not create: ` +
        `${foreign.map(nameOf).join(", ")}. Another program changed this store; restore a backup from before that`,
    );
  }
  // A sale would notice a missing table only when it uses the table, which may be in the middle of a day.
  const missing = missingFrom(there).filter(({ type }) => type === "table");
  if (missing.length === 0) return;
  const names = missing.map(({ name }) => name).join(", ");
  throw new StoreError(
    `${file} has no table ${names}. Another program changed this store; restore a backup from before that`,
  );
}

function missingFrom(there: readonly StoredObject[]): readonly StoredObject[] {
  return ownObjects().filter(({ name }) => !there.some((one) => one.name === name));
}

/** Whether an object equals one of ours, text for text: a parser of our own could read a text otherwise than SQLite. */
function isOwn({ type, name, table, sql }: StoredObject): boolean {
  return ownObjects().some((one) => one.type === type && one.name === name && one.table === table && one.sql === sql);
}

function isNamedAsOurs(name: string): boolean {
  return ownObjects().some((one) => one.name === name.toLowerCase());
}

function nameOf({ type, name }: StoredObject): string {
  return isNamedAsOurs(name) ? `${type} ${name} (changed)` : `${type} ${name}`;
}

/**
 * Whether an index only makes look-ups faster: it is not unique, holds all rows, and has only columns in SQLite's own
 * orders. Such an index refuses and deletes no row.
 */
function isPlainIndex(db: Db, name: string): boolean {
  const query = `SELECT 1 FROM sqlite_schema AS object, pragma_index_list(object.tbl_name) AS list
    WHERE object.name = ? AND object.type = 'index' AND list.name = object.name AND list."unique" = 0 AND list.partial = 0
      AND NOT EXISTS (SELECT 1 FROM pragma_index_xinfo(object.name)
        WHERE cid < -1 OR coll NOT IN ('BINARY', 'NOCASE', 'RTRIM'))`;
  return db.prepare<[string]>(query).get(name) !== undefined;
}

/** Tillseal's own objects, kept in memory because they are the same for each store. */
let known: readonly StoredObject[] | undefined;

function ownObjects(): readonly StoredObject[] {
  if (known) return known;
  const own = openDatabase(IN_MEMORY);
  try {
    for (const sql of stepsFrom(0) ?? []) own.exec(sql);
    known = objectsIn(own);
    return known;
  } finally {
    own.close();
  }
}

/**
 * The objects of a database, without the tables that SQLite creates, such as for ANALYZE, and without the indexes of
 * constraints, which have no text: the table's text has them.
 */
function objectsIn(db: Db): readonly StoredObject[] {
  const query = `SELECT type, name, tbl_name AS "table", sql FROM sqlite_schema
    WHERE sql IS NOT NULL AND NOT (type = 'table' AND name LIKE 'sqlite\\_%' ESCAPE '\\') ORDER BY type, name`;
  return db.prepare<[], StoredObject>(query).all();
}
