/** A statement of the store reads all receipts only if it must, because a till may have a million of them. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { AuditLedger } from "../../src/ledger/audit-ledger.js";
import { AuthorityLedger } from "../../src/ledger/authority-ledger.js";
import { ChangeLog } from "../../src/ledger/change-log.js";
import { openStore } from "../../src/ledger/database.js";
import { Erasing } from "../../src/ledger/erasing.js";
import { ALWAYS } from "../../src/ledger/period.js";
import { ReceiptIndex } from "../../src/ledger/receipt-index.js";
import { Receipts } from "../../src/ledger/receipts.js";
import { type Db, IN_MEMORY, openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { newIntent } from "../contract/ledger.contract.js";
import { temporaryFolder } from "../support/folder.js";

const LEDGER = join(PACKAGE_ROOT, "src", "ledger");

/** Tables that get a row with each sale. */
const LARGE = /^(SCAN|SEARCH) (invoices|erased|receipts)\b/;
/** Steps that read few rows: of one key, of a partial index that stays small, or the end of an index. */
const FEW = [
  /\((rowid|request_id|request_id_hash|number|total_counter|total_amount|referent)=\?\)$/,
  / USING (COVERING )?INDEX invoices_(open|unsigned)\b/,
  /^SEARCH \w+( USING( COVERING)? INDEX \w+)?$/,
];
/** Statements that may read more, by a part of their text, which ends with $, with the reason. */
const MAY_READ_MORE = {
  // They stop after the rows of one page or slice.
  "FROM invoices ORDER BY id DESC LIMIT ?": "the newest ones",
  "WHERE time >= @from AND time < @to ORDER BY time DESC LIMIT": "a page, by the index on the time",
  "WHERE time < @to AND (time, id) > (@after, @afterId) ORDER BY time, id LIMIT": "a page, by the index on the time",
  "WHERE time < @before AND (time, id) > (@time, @id) AND state IN": "a slice, by the index on the time",
  "WHERE coalesce(time,": "at most the rows with one beginning of a RequestId, by its index",
  "FROM invoices WHERE id > ? ORDER BY id LIMIT": "a slice, by the id",
  "FROM receipts WHERE id < @below": "a slice, by the id",
  "AND state = 'complete' AND id > @after AND id < @before ORDER BY id LIMIT 1":
    "one row, by the index on complete ones",
  "WHERE time < @from ORDER BY time DESC LIMIT 5": "five, by the index on the time",
  "WHERE time >= @to ORDER BY time LIMIT 5": "five, by the index on the time",
  "AND uid IN (SELECT uid FROM cards) AND id > @above": "ids of a slice, by the index on complete ones",
  // They stop at the first row, or nearly so.
  "number IS NOT NULL ORDER BY id": "nearly every row has a number",
  "WHERE state = 'complete' AND json_valid(answer) ORDER BY id DESC LIMIT 1": "nearly every row is complete",
  "WHERE json_valid(intent) ORDER BY id DESC LIMIT 1": "nearly every row has an intent",
  "SELECT EXISTS (SELECT 1 FROM erased)": "the first row",
  "min(uid) FROM invoices WHERE state = 'complete'": "the first row of each card",
  "max(id), 0) FROM invoices WHERE uid = ? AND state = 'complete'": "the last row of the card",
  // They read what an index holds of sales since the last proof of audit, and remember the sum.
  "SELECT count(*) FROM invoices WHERE uid = ? AND state = 'complete' AND id > ? AND id <= ?": "unsent sales",
  // Not in the service, or not for a till: verify, doctor, backup, a person's question about a lost receipt.
  "SELECT count(*) FROM invoices$": "verify",
  "SELECT count(*) FROM invoices WHERE state = 'complete'$": "backup and restore",
  "SELECT count(*) FROM invoices WHERE state = ?$": "the control interface",
  "checksum FROM invoices ORDER BY id": "verify",
  "checksum FROM erased ORDER BY id": "verify",
  "WHERE total_counter IS NOT NULL UNION ALL": "verify",
  "WHERE state = 'lost' AND total_counter IS NULL UNION ALL": "verify",
  "AS intent FROM invoices WHERE uid = ? ORDER BY id DESC": "doctor stops at the last audit",
  "SELECT uid FROM invoices UNION SELECT uid FROM cards": "doctor, and a person's question about unsent receipts",
  "AND state IN ('intent', 'complete') AND id > ? ORDER BY id LIMIT 1000": "unsent receipts, a slice by the id",
  "AND state = 'complete' AND total_counter BETWEEN": "the export of packages that a range lacks",
  "SELECT signature FROM invoices WHERE uid = ? AND id > ? AND state = 'complete'": "receipts after a restored backup",
  "FROM invoices WHERE uid = ? AND signature IS NOT NULL ORDER BY id": "restore",
} as const;

/** Lines with a statement that this test does not prepare. */
const NOT_PREPARED = [
  // Of a table of statements, which this test reads.
  "const made = this.db.prepare(this.texts[name]);",
  "yield* this.store.db.prepare<(string | number)[], Row>(SQL[name]).iterate(...of);",
  "return Number(copy.prepare(SQL.receiptCount).pluck().get());",
  'if (version > 0) migrating(Number(db.prepare("SELECT count(*) FROM invoices").pluck().get()));',
  "return db.prepare<[string]>(query).get(name) !== undefined;",
  // hold-sent.ts, of tables without receipts, in a store that no service uses.
  "const run = (sql: string, values: object) => db.prepare<[object]>(sql).run(values);",
  // Of the table with the one row that a trial write changes.
  'await this.commit(() => void this.db.prepare("UPDATE trial SET content = randomblob(?)").run(TRIAL_BYTES));',
];

const ANY = { kind: "", label: "", payment: "" };

interface Recorded {
  /** Steps of each statement's plan, by its text. */
  readonly plans: Map<string, readonly string[]>;
  /** The lines of the ledger that prepared a statement. */
  readonly lines: Set<string>;
}

/** Records every statement that is prepared until the end of the test. */
function recorded(): Recorded {
  const made: Recorded = { plans: new Map(), lines: new Set() };
  const prototype = Object.getPrototypeOf(openDatabase(IN_MEMORY)) as Db;
  const { prepare } = prototype;
  const spy = vi.spyOn(prototype, "prepare").mockImplementation(function (this: Db, sql: string) {
    const [, file, line] = /src\/ledger\/([\w-]+\.ts):(\d+)/.exec(new Error("place").stack ?? "") ?? [];
    if (file !== undefined) made.lines.add(linesOf(file)[Number(line) - 1] ?? "");
    made.plans.set(`${sql.replaceAll(/\s+/g, " ")}$`, planOf(this, prepare, sql));
    return Reflect.apply(prepare, this, [sql]) as ReturnType<typeof prepare>;
  });
  onTestFinished(() => spy.mockRestore());
  return made;
}

/** Prepares all statements of the table that an object has. */
function prepareTable(db: Db, object: object): void {
  const { texts } = Reflect.get(object, "statements") as { readonly texts: Readonly<Record<string, string>> };
  for (const text of Object.values(texts)) db.prepare(text);
}

const linesOf = (file: string): readonly string[] =>
  readFileSync(join(LEDGER, file), "utf8")
    .split("\n")
    .map((line) => line.trim());

function planOf(db: Db, prepare: Db["prepare"], sql: string): readonly string[] {
  if (!/^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)/.test(sql)) return [];
  const named = Object.fromEntries([...sql.matchAll(/@(\w+)/g)].map(([, name]) => [name, null]));
  const unnamed = Array.from(sql.matchAll(/\?/g), () => null);
  const explain = Reflect.apply(prepare, db, [`EXPLAIN QUERY PLAN ${sql}`]) as {
    all(...v: unknown[]): { detail: string }[];
  };
  const values = [...unnamed, ...(Object.keys(named).length ? [named] : [])];
  return explain.all(...values).map(({ detail }) => detail);
}

/** A card, the number of its receipt, and what it returned for it. */
const ARGUMENTS = ["1", "1", Buffer.alloc(1)];

/** Calls every method of an object, also one that is added later, for the statements that it prepares. */
async function callAll(object: object): Promise<void> {
  for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(object) as object)) {
    const method: unknown = Reflect.get(object, name);
    if (typeof method !== "function" || ["constructor", "close", "use"].includes(name)) continue;
    try {
      const result: unknown = await Reflect.apply(method, object, ARGUMENTS);
      // A generator prepares its statement with the first row.
      if (typeof result === "object" && result !== null && Symbol.iterator in result)
        [...(result as Iterable<unknown>)];
    } catch {
      // The arguments fit few methods. A statement is prepared before it gets them.
    }
  }
}

it("SQLite reads few rows of the receipts with each statement that a till or an open page needs", async () => {
  const { plans, lines } = recorded();
  const dataDir = temporaryFolder();
  const store = openStore(dataDir);
  const ledger = new SqliteLedger(store);
  const receipt = { uid: "1", number: "1", totalCounter: 1, signature: Buffer.alloc(1), answer: "{}" };
  const [id = 0] = await ledger.commit([newIntent("order-1"), { kind: "adopt", receipt }]);
  const receipts = new Receipts(store.db);
  const index = new ReceiptIndex(store.db, dataDir, () => undefined);
  const reading = StoreReading.open(dataDir);
  for (const object of [new ChangeLog(ledger.access), index, reading]) await callAll(object);
  const ledgers = [AuditLedger, AuthorityLedger].map((Ledger) => new Ledger(ledger.access));
  const tables = [ledger, ...ledgers, new Erasing(store.db), receipts, reading];
  for (const object of tables) prepareTable(store.db, object);
  await index.catchUp();
  await ledger.commit([{ kind: "lose", id, totalCounter: null }]);
  await index.catchUp();
  await index.find(ANY, { sought: undefined, period: ALWAYS, limit: 1 });
  for (const closed of [index, reading, store]) closed.close();

  const reasons = Object.keys(MAY_READ_MORE);
  const large = [...plans].filter(([, steps]) =>
    steps.some((step) => LARGE.test(step) && !FEW.some((few) => few.test(step))),
  );
  const needless = large.filter(([sql]) => !reasons.some((part) => sql.includes(part)));
  expect(needless).toEqual([]);
  expect(reasons.filter((part) => !large.some(([sql]) => sql.includes(part)))).toEqual([]);
  const files = readdirSync(LEDGER).map((file) => readFileSync(join(LEDGER, file), "utf8"));
  expect(files.filter((text) => text.includes("new Statements("))).toHaveLength(tables.length);
  const written = readdirSync(LEDGER).flatMap((file) => linesOf(file).filter((line) => /\.prepare\b/.test(line)));
  expect(written.filter((line) => !lines.has(line) && !NOT_PREPARED.includes(line))).toEqual([]);
});
