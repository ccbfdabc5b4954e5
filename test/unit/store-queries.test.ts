/** How the store is asked: few rows for each statement of a till, and two independent places for each RequestId. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { AuditLedger } from "../../src/ledger/audit-ledger.js";
import { AuthorityLedger } from "../../src/ledger/authority-ledger.js";
import { ChangeLog } from "../../src/ledger/change-log.js";
import { openStore } from "../../src/ledger/database.js";
import { BEGINNING, Erasing } from "../../src/ledger/erasing.js";
import { LedgerError } from "../../src/ledger/ledger.js";
import { ALWAYS } from "../../src/ledger/period.js";
import { ReceiptIndex } from "../../src/ledger/receipt-index.js";
import { Receipts } from "../../src/ledger/receipts.js";
import { PROGRESS_SQL } from "../../src/ledger/row-checksums.js";
import { type Db, IN_MEMORY, openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { completion, newIntent, UID } from "../contract/ledger.contract.js";
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

const IDS = Array.from({ length: 60 }, (_, n) => `till-7-order-${String(n * 7919).padStart(8, "0")}`);

/** A closed store with one entry for each RequestId. */
async function stored(ids = IDS): Promise<string> {
  const dataDir = temporaryFolder();
  const store = openStore(dataDir);
  const ledger = new SqliteLedger(store);
  await ledger.commit(ids.map((id) => newIntent(id)));
  store.close();
  return dataDir;
}

/** The same store after its sales were signed and erased, but for the newest. */
async function erased(): Promise<string> {
  const dataDir = await stored([...IDS, "newest"]);
  const store = openStore(dataDir);
  const ledger = new SqliteLedger(store);
  // A signature begins with the time.
  const signed = (n: number) => ({
    ...completion(n),
    signature: Buffer.concat([Buffer.alloc(8), Buffer.from(`${n}`)]),
  });
  await ledger.commit(
    [...IDS, "newest"].map((_, n) => ({ kind: "complete", id: n + 1, completion: signed(n + 1) }) as const),
  );
  await ledger.access.commit(() => {
    store.db.exec(`INSERT INTO audit_progress (uid, proven_to) VALUES ('${UID}', ${IDS.length})`);
    store.db.prepare(PROGRESS_SQL.seal).run({ uid: UID });
    const erasing = new Erasing(store.db);
    erasing.erase(erasing.slice(Number.MAX_SAFE_INTEGER, BEGINNING, 1_000).erasable, 0);
  });
  store.close();
  return dataDir;
}

/** Where a table or an index has its only page, in bytes. */
function pageOf(dataDir: string, name: string): { from: number; size: number } {
  const db = openDatabase(join(dataDir, "store/tillseal.db"), { readonly: true });
  const size = Number(db.pragma("page_size", { simple: true }));
  const root = db.prepare<[string], number>("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(name) ?? 0;
  db.close();
  return { from: (root - 1) * size, size };
}

const PLACES: [index: string, make: () => Promise<string>, intact: object][] = [
  ["sqlite_autoindex_invoices_1", stored, { state: "intent", intact: true }],
  ["invoices_by_request_id_again", stored, { state: "intent", intact: true }],
  ["erased_by_request_id", erased, { state: "erased", intact: true }],
  ["erased_by_request_id_again", erased, { state: "erased", intact: true }],
];

it.each(PLACES)(
  "the store knows every RequestId with any flipped bit in %s, and SQLite's check names what a look-up missed",
  async (name, make, known) => {
    const intact = await make();
    const content = readFileSync(join(intact, "store/tillseal.db"));
    const { from, size } = pageOf(intact, name);
    const outcomes = { found: 0, refused: 0, missed: 0 };
    // The cells are at the end of the page; its head has their places.
    const used = Array.from({ length: size }, (_, at) => at).filter((at) => content[from + at] !== 0);
    for (let step = 0; step < used.length; step += 31) {
      const dataDir = temporaryFolder();
      copyFileSync(join(intact, "tillseal.lock"), join(dataDir, "tillseal.lock"));
      const damaged = Buffer.from(content);
      const at = from + (used[step] ?? 0);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (step % 8));
      mkdirSync(join(dataDir, "store"));
      writeFileSync(join(dataDir, "store/tillseal.db"), damaged);
      const place = `bit ${step % 8} of byte ${at}`;
      const store = openStore(dataDir);
      const ledger = new SqliteLedger(store);
      for (const id of IDS) {
        const entry = await ledger.byRequestId(id).catch((error: unknown) => error);
        if (entry instanceof LedgerError) outcomes.refused++;
        else {
          expect(entry, `${place}, ${id}`).toMatchObject({ requestId: id, ...known });
          outcomes.found++;
        }
      }
      const { indexDamaged } = ledger;
      store.close();
      if (!indexDamaged) continue;
      outcomes.missed++;
      const reading = StoreReading.open(dataDir);
      expect(reading.integrity(), place).not.toEqual([]);
      reading.close();
    }
    expect(outcomes.found).toBeGreaterThan(outcomes.refused);
    // The second index of a pair is used only for RequestIds that the first one misses.
    if (!name.endsWith("_again")) expect(outcomes.missed).toBeGreaterThan(0);
  },
);

it("sales without a proof of audit are found in a store in which only the erased sales are damaged", async () => {
  const dataDir = await erased();
  const file = join(dataDir, "store/tillseal.db");
  const content = readFileSync(file);
  for (const name of ["erased", "erased_by_request_id", "erased_by_request_id_again", "erased_by_counter"]) {
    const { from, size } = pageOf(dataDir, name);
    content.fill(0xff, from, from + size);
  }
  writeFileSync(file, content);
  expect(await StoreReading.open(dataDir).use((store) => store.audits().unsent(UID))).toBe(1);
});

it("the store tells RequestIds apart that differ only in case", async () => {
  const dataDir = await stored(["order-a", "ORDER-B"]);
  const store = openStore(dataDir);
  const ledger = new SqliteLedger(store);
  for (const id of ["ORDER-A", "order-b"]) expect(await ledger.byRequestId(id)).toBeUndefined();
  await ledger.commit([newIntent("ORDER-A")]);
  for (const id of ["order-a", "ORDER-A"]) expect(await ledger.byRequestId(id)).toMatchObject({ requestId: id });
  store.close();
});

it("the store notes an index that a check of the whole store finds damaged, and refuses new sales if its structure is", () => {
  const store = openStore(temporaryFolder());
  const ledger = new SqliteLedger(store);
  ledger.noteCheck({ problems: [], damaged: [] });
  expect(ledger.indexDamaged).toBe(false);
  ledger.noteCheck({ problems: ["row 31 missing from index sqlite_autoindex_invoices_1"], damaged: [] });
  expect(ledger.indexDamaged).toBe(true);
  expect(() => ledger.access.requireSound()).not.toThrow();
  ledger.noteCheck({ problems: ["Tree 2 page 2 cell 3: 2nd reference to page 7"], damaged: [] });
  expect(() => ledger.access.requireSound()).toThrow("2nd reference to page 7");
  store.close();
});
