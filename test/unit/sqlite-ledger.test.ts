import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { ChangeLog } from "../../src/ledger/change-log.js";
import { type MemoryStore, openInMemory, openStore, type Store } from "../../src/ledger/database.js";
import type { Change } from "../../src/ledger/ledger.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { completion, newIntent, UID } from "../contract/ledger.contract.js";
import { temporaryFolder } from "../support/folder.js";
import { complete, opened, sold } from "../support/sold-store.js";

function inFile(folder: string, requestId: string): boolean {
  const db = openDatabase(join(folder, "store/tillseal.db"), { readonly: true });
  try {
    return db.prepare("SELECT 1 FROM invoices WHERE request_id = ?").get(requestId) !== undefined;
  } finally {
    db.close();
  }
}

it("a store in memory keeps what was committed, also after a crash in the middle of a commit", async () => {
  const memory: MemoryStore = {};
  const folder = temporaryFolder();
  const store = openInMemory(folder, memory);
  await new SqliteLedger(store).commit([newIntent("order-1")]);
  store.db.exec("UPDATE invoices SET request_id = 'order-2'");
  store.close();
  const again = openInMemory(folder, memory);
  onTestFinished(() => again.close());
  const ledger = new SqliteLedger(again);
  expect(await ledger.byRequestId("order-1")).toMatchObject({ state: "intent", intact: true });
  expect(await ledger.byRequestId("order-2")).toBeUndefined();
});

it("a store in memory continues a store from a file, and is empty without one", async () => {
  const folder = temporaryFolder();
  const file = openStore(folder);
  await new SqliteLedger(file).commit([newIntent("order-1")]);
  file.close();
  const content = readFileSync(join(folder, "store/tillseal.db"));
  const found = await Promise.all(
    [{ content }, {}].map((memory) => {
      const store = openInMemory(folder, memory);
      onTestFinished(() => store.close());
      return new SqliteLedger(store).byRequestId("order-1");
    }),
  );
  expect(found).toMatchObject([{ state: "intent" }, undefined]);
});

it("a checksum detects that two entries have swapped their RequestIds", async () => {
  const { store, ledger } = await sold();
  store.db.exec(`UPDATE invoices SET request_id = NULL WHERE id = 2;
      UPDATE invoices SET request_id = 'order-2' WHERE id = 1`);
  expect(await ledger.byRequestId("order-2")).toMatchObject({ totalCounter: 1, intact: false });
  expect(await ledger.openIntents(UID)).toMatchObject([{ id: 2, intact: false }]);
  expect([await ledger.last(UID), await ledger.byNumber("TESTCARD-TESTCARD-1")]).toMatchObject([
    { intact: false },
    [{ intact: false }],
  ]);
});

it("a checksum still fails when an intent was damaged before its answer came", async () => {
  const { store, ledger } = await sold();
  store.db.exec("UPDATE invoices SET intent = '{}' WHERE id = 2");
  await ledger.commit([complete(2)]);
  expect(await ledger.byRequestId("order-2")).toMatchObject({ state: "complete", intact: false });
});

it("another program reads each commit at once, and cannot write while the service runs", async () => {
  const { folder } = await sold();
  expect(inFile(folder, "order-2")).toBe(true);
  const other = openDatabase(join(folder, "store/tillseal.db"), { timeout: 0 });
  onTestFinished(() => void other.close());
  expect(() => other.exec("DELETE FROM invoices")).toThrow("locked");
});

it("another program is noticed when it has taken over the store, and writing stops", async () => {
  const { folder, store, ledger } = await sold();
  // Between two commits, with the lock file deleted.
  store.db.exec("COMMIT");
  rmSync(join(folder, "tillseal.lock"));
  const second = opened(folder);
  await second.ledger.commit([newIntent("order-3")]);
  second.store.close();
  const refused = { fault: "taken-over", message: expect.stringContaining(folder) };
  await expect(ledger.commit([newIntent("order-4")])).rejects.toMatchObject(refused);
  await expect(ledger.commit([complete(2)])).rejects.toMatchObject(refused);
  expect([inFile(folder, "order-3"), inFile(folder, "order-4")]).toEqual([true, false]);
});

const refused = (folder: string) => ({ fault: "gone", message: expect.stringContaining(folder) });

it.each(["store/tillseal.db", "store/tillseal.db-wal", "store/tillseal.db-shm"])(
  "a store whose files are missing rejects writes: %s",
  async (name) => {
    const { folder, ledger } = await sold();
    rmSync(join(folder, name));
    await expect(ledger.commit([newIntent("order-3")])).rejects.toMatchObject(refused(folder));
    await expect(ledger.commit([complete(2)])).rejects.toMatchObject(refused(folder));
  },
);

it("a store whose files are closed rejects reads and writes", async () => {
  const { store, ledger } = await sold();
  store.close();
  await expect(ledger.commit([newIntent("order-3")])).rejects.toMatchObject({ fault: "gone" });
  await expect(ledger.byRequestId("order-1")).rejects.toMatchObject({ fault: "gone" });
});

it("a disk that is full is reported, and the same commit succeeds when there is room", async () => {
  const { folder, store, ledger } = await sold();
  const pages = Number(store.db.pragma("page_count", { simple: true }));
  store.db.pragma(`max_page_count = ${pages}`);
  const large = { ...newIntent("order-3").intent, intent: `"${"x".repeat(100_000)}"` };
  const changes: Change[] = [complete(2), { kind: "intent", intent: large }];
  await expect(ledger.commit(changes)).rejects.toMatchObject({
    fault: "full",
    message: expect.stringMatching(`^The disk is full \\(${folder}\\). Free some space`),
  });
  expect(await ledger.byRequestId("order-2")).toMatchObject({ state: "intent" });
  store.db.pragma("max_page_count = 100000");
  expect(await ledger.commit(changes)).toEqual([3]);
  expect(inFile(folder, "order-3")).toBe(true);
});

it("a disk that refuses the commit itself leaves no trace: the first receipt is recorded with the next one", async () => {
  const { store, ledger } = opened();
  const changes = new ChangeLog(ledger.access);
  await ledger.commit([newIntent("order-1")]);
  // Only COMMIT fails: the other table is compared then.
  store.db.exec(`COMMIT; PRAGMA foreign_keys = ON; CREATE TABLE none (id INTEGER PRIMARY KEY);
      CREATE TABLE late (id REFERENCES none (id) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER refuse AFTER INSERT ON changes BEGIN INSERT INTO late VALUES (1); END`);
  await expect(ledger.commit([complete(1), newIntent("order-2")])).rejects.toThrow();
  store.db.exec("ROLLBACK; DROP TRIGGER refuse");
  expect(await ledger.commit([complete(1), newIntent("order-2")])).toEqual([2]);
  const [row] = await changes.all();
  expect(row).toMatchObject({ id: 1, kind: "card" });
});

it("a disk with corrupted pages is reported, and never gives wrong data", async () => {
  const { folder, store } = await sold();
  store.close();
  const file = join(folder, "store/tillseal.db");
  const good = readFileSync(file);
  const page = 4096;
  for (let at = page; at < good.length; at += page) {
    for (const beside of ["-wal", "-shm"]) rmSync(file + beside, { force: true });
    writeFileSync(file, Buffer.concat([good.subarray(0, at), Buffer.alloc(page, 0x5a), good.subarray(at + page)]));
    const outcome = await readOrFault(folder);
    expect(["damaged", "the same", "not intact"]).toContain(outcome);
  }
});

async function readOrFault(folder: string): Promise<string> {
  let store: Store | undefined;
  try {
    store = openStore(folder);
    const entry = await new SqliteLedger(store).byRequestId("order-1");
    if (!entry) return "lost";
    return entry.intact ? (entry.answer === completion(1).answer ? "the same" : "another") : "not intact";
  } catch (error) {
    const { name, message } = error as Error;
    return /^(LedgerError|StoreError)$/.test(name) && message.includes("is damaged") ? "damaged" : String(error);
  } finally {
    store?.close();
  }
}

it("a store checkpoints the WAL into the store during a pause, and continues", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { folder, ledger } = await sold();
  const log = join(folder, "store/tillseal.db-wal");
  vi.advanceTimersByTime(3_000);
  expect(statSync(log).size).toBe(0);
  await ledger.commit([complete(2)]);
  expect(statSync(log).size).toBeGreaterThan(0);
  vi.advanceTimersByTime(3_000);
  expect(statSync(log).size).toBe(0);
  // The main file alone is complete: the WAL may be deleted now.
  copyFileSync(join(folder, "store/tillseal.db"), join(folder, "alone.db"));
  const alone = openDatabase(join(folder, "alone.db"));
  onTestFinished(() => void alone.close());
  expect(alone.prepare("SELECT count(*) FROM invoices WHERE state = 'complete'").pluck().get()).toBe(2);
});

it.each(["Normal", "{}", "[1]"])(
  "a store assumes no counting kinds of sale when the stored ones are damaged: %s",
  async (counting) => {
    const { store, ledger } = opened();
    await ledger.commit([{ kind: "card", uid: UID, lastCounter: 3, counting: ["Normal Sale"] }]);
    store.db.prepare("UPDATE cards SET counting = ?").run(counting);
    expect(await ledger.card(UID)).toMatchObject({ lastCounter: 3, counting: [] });
  },
);
