/** A table or an index that another program changed can delete or refuse receipts with each later sale: no start, and no restore. */
import { copyFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/ledger/database.js";
import { foreignObjects } from "../../src/ledger/own-schema.js";
import { restoreStore } from "../../src/ledger/restore.js";
import { type Db, openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { newIntent } from "../contract/ledger.contract.js";
import { temporaryFolder } from "../support/folder.js";

/** A closed store with a sale, changed by another program. */
async function changedBy(change: (db: Db) => void): Promise<string> {
  const dataDir = temporaryFolder();
  const store = openStore(dataDir);
  await new SqliteLedger(store).commit([newIntent("order-1")]);
  store.close();
  const db = openDatabase(join(dataDir, "store/tillseal.db"));
  change(db);
  db.close();
  return dataDir;
}

const sqlOf = (db: Db, name: string) =>
  db.prepare<[string], string>("SELECT sql FROM sqlite_schema WHERE name = ?").pluck().get(name) ?? "";

/** Makes the table of receipts anew with another text. */
function receiptsWith(text: string, other: string) {
  return (db: Db) => {
    const sql = sqlOf(db, "invoices");
    expect(sql).toContain(text);
    db.exec(`DROP TABLE invoices; ${sql.replace(text, other)}`);
  };
}

/** SQLite refuses such a name in CREATE INDEX, but reads an index that has one. */
function hideIndex(db: Db): void {
  db.exec("CREATE UNIQUE INDEX one ON invoices (uid)");
  db.unsafeMode(true);
  db.pragma("writable_schema = ON");
  db.exec("UPDATE sqlite_schema SET name = 'sqlite_one', sql = replace(sql, 'one', 'sqlite_one') WHERE name = 'one'");
}

const CHANGES: Record<string, readonly [string, (db: Db) => void]> = {
  "a trigger": [
    "trigger thief",
    (db) => db.exec("CREATE TRIGGER thief AFTER INSERT ON invoices BEGIN DELETE FROM invoices WHERE id < new.id; END"),
  ],
  "a view": ["view window", (db) => db.exec("CREATE VIEW window AS SELECT * FROM invoices")],
  "a rule behind a carriage return in a comment": [
    "table invoices (changed)",
    receiptsWith("request_id TEXT UNIQUE,", "request_id TEXT --\r UNIQUE\n,"),
  ],
  "another column": ["table cards (changed)", (db) => db.exec("ALTER TABLE cards ADD COLUMN note TEXT")],
  "a table of the same name in capitals": [
    "table CARDS (changed)",
    (db) =>
      db.exec(`${sqlOf(db, "cards").replace("cards", "others")}; DROP TABLE cards; ALTER TABLE others RENAME TO CARDS`),
  ],
  "an index that allows one sale a card": ["index one", (db) => db.exec("CREATE UNIQUE INDEX one ON Invoices (uid)")],
  "an index with a name of SQLite": ["index sqlite_one", hideIndex],
  "an index on an expression": ["index one", (db) => db.exec("CREATE INDEX one ON invoices (length(uid))")],
  "an index of some rows": ["index one", (db) => db.exec("CREATE INDEX one ON invoices (uid) WHERE uid > abs(id)")],
  "an index of ours that is unique": [
    "index invoices_open (changed)",
    (db) => db.exec("DROP INDEX invoices_open; CREATE UNIQUE INDEX invoices_open ON invoices (uid)"),
  ],
};

it.each(Object.entries(CHANGES))(
  "the service refuses to start on, and to restore, a store with %s",
  async (_, [name, change]) => {
    const dataDir = await changedBy(change);
    const file = join(dataDir, "store/tillseal.db");
    const message = `that tillseal did not create: ${name}. Another program changed this store; restore a backup from before`;
    expect(() => openStore(dataDir)).toThrow(`${file} has objects that act on the receipts and ${message}`);
    const backup = join(temporaryFolder(), "backup.db");
    copyFileSync(file, backup);
    const target = temporaryFolder();
    await expect(restoreStore({ dataDir: target, file: backup, at: 0, inspect: () => undefined })).rejects.toThrow(
      message,
    );
    expect(readdirSync(target)).toEqual(["tillseal.lock"]);
  },
);

it("the service refuses to start on a store without one of its tables", async () => {
  const dataDir = await changedBy((db) => db.exec("DROP TABLE made_changes; DROP TABLE unverified_packages"));
  expect(() => openStore(dataDir)).toThrow(/tillseal\.db has no table made_changes, unverified_packages\. .*restore/);
});

it("the service starts on a store that another program has vacuumed and analysed, and on one with a table and an index of its own, which verify names", async () => {
  const dataDir = await changedBy((db) =>
    db.exec("VACUUM; ANALYZE; CREATE TABLE notes (text TEXT UNIQUE); CREATE INDEX faster ON invoices (uid, id DESC)"),
  );
  const store = openStore(dataDir);
  expect(await new SqliteLedger(store).byRequestId("order-1")).toMatchObject({ state: "intent" });
  expect(foreignObjects(store.db)).toEqual(["index faster", "table notes"]);
  store.close();
});
