/** A RequestId counts as new only if two independent places in the store do not have it. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, it, onTestFinished, vi } from "vitest";
import { checkStore } from "../../src/doctor/store.js";
import { openStore, type Store } from "../../src/ledger/database.js";
import { LedgerError } from "../../src/ledger/ledger.js";
import { RequestKeys } from "../../src/ledger/request-keys.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { newIntent } from "../contract/ledger.contract.js";
import { temporaryFolder } from "../support/folder.js";

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

/** Where a table or an index has its only page, in bytes. */
function pageOf(dataDir: string, name: string): { from: number; size: number } {
  const db = openDatabase(join(dataDir, "tillseal.db"), { readonly: true });
  const size = Number(db.pragma("page_size", { simple: true }));
  const root = db.prepare<[string], number>("SELECT rootpage FROM sqlite_schema WHERE name = ?").pluck().get(name) ?? 0;
  db.close();
  return { from: (root - 1) * size, size };
}

/** Flips bits of a byte of a page. @param place gets the page, returns the place of the byte in it */
function flip(dataDir: string, name: string, bits: number, place: (page: Buffer) => number): void {
  const file = join(dataDir, "tillseal.db");
  const { from, size } = pageOf(dataDir, name);
  const content = readFileSync(file);
  const at = from + place(content.subarray(from, from + size));
  content[at] = (content[at] ?? 0) ^ bits;
  writeFileSync(file, content);
}

const INDEX = "sqlite_autoindex_invoices_1";
const ID = IDS[30] ?? "";

/** Flips a bit of a RequestId in the index. */
const damageIndex = (dataDir: string) => flip(dataDir, INDEX, 1, (page) => page.indexOf(ID) + 3);

it.each(["sqlite_autoindex_invoices_1", "request_keys"])(
  "knows every RequestId with any flipped bit in %s",
  async (name) => {
    const intact = await stored();
    const content = readFileSync(join(intact, "tillseal.db"));
    const { from, size } = pageOf(intact, name);
    const outcomes = { found: 0, refused: 0, noticed: 0 };
    // The cells are at the end of the page; its head has their places.
    const used = Array.from({ length: size }, (_, at) => at).filter((at) => content[from + at] !== 0);
    for (let step = 0; step < used.length; step += 9) {
      const dataDir = temporaryFolder();
      copyFileSync(join(intact, "tillseal.lock"), join(dataDir, "tillseal.lock"));
      const damaged = Buffer.from(content);
      const at = from + (used[step] ?? 0);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (step % 8));
      writeFileSync(join(dataDir, "tillseal.db"), damaged);
      const store = openStore(dataDir);
      const ledger = new SqliteLedger(store);
      for (const id of IDS) {
        const entry = await ledger.byRequestId(id).catch((error: unknown) => error);
        if (entry instanceof LedgerError) outcomes.refused++;
        else {
          expect(entry, `bit ${step % 8} of byte ${at}, ${id}`).toMatchObject({ requestId: id, intact: true });
          outcomes.found++;
        }
      }
      if (ledger.indexDamaged) outcomes.noticed++;
      store.close();
    }
    expect(outcomes.found).toBeGreaterThan(outcomes.refused);
    if (name !== "request_keys") expect(outcomes.noticed).toBeGreaterThan(0);
  },
);

it("finds the damage by a comparison, without a repeat of the sale", async () => {
  const dataDir = await stored();
  const check = async () => {
    const store = openStore(dataDir);
    const ledger = new SqliteLedger(store);
    await ledger.checkIndex(new AbortController().signal);
    store.close();
    return [ledger.indexDamaged, checkStore(dataDir).facts.indexDamaged];
  };
  expect(await check()).toEqual([false, false]);
  damageIndex(dataDir);
  expect(await check()).toEqual([true, true]);
});

// An entry of the index has the length of its head, the types of its two fields, the RequestId, and the row's id.
it.each([
  ["the id of a row", (page: Buffer) => page.indexOf(ID) + ID.length],
  ["the type of a RequestId", (page: Buffer) => page.indexOf(ID) - 2],
])("finds a flipped bit in %s in the index by a comparison", async (_, place) => {
  const dataDir = await stored();
  flip(dataDir, INDEX, 1, place);
  expect(checkStore(dataDir).facts.indexDamaged).toBe(true);
});

it("finds a flipped bit in an inner page of the keys, which look-ups use and reading in order does not", async () => {
  const dataDir = await stored(Array.from({ length: 3_000 }, (_, n) => `order-${n}`));
  expect(checkStore(dataDir).facts.indexDamaged).toBe(false);
  // A cell of an inner page has the number of a page, then the highest key there: seven bits a byte, the lowest last.
  flip(dataDir, "request_keys", 0x40, (page) => {
    expect(page[0]).toBe(5);
    const cells = Array.from({ length: page.readUInt16BE(3) }, (_, cell) => page.readUInt16BE(12 + 2 * cell) + 4);
    const lasts = cells.map((cell) => cell + page.subarray(cell).findIndex((byte) => byte < 0x80));
    return lasts.find((last) => ((page[last] ?? 0) & 0x40) !== 0) ?? 0;
  });
  expect(checkStore(dataDir).facts.indexDamaged).toBe(true);
});

it("finds the damage although another program held the store for a moment", async () => {
  const dataDir = await stored();
  damageIndex(dataDir);
  const store = openStore(dataDir);
  onTestFinished(() => store.close());
  const ledger = new SqliteLedger(store);
  const busy = Object.assign(new Error("database is locked"), { code: "SQLITE_BUSY" });
  const statements = Object.getPrototypeOf(store.db.prepare("SELECT 1")) as { get: () => unknown };
  const get = vi.spyOn(statements, "get").mockImplementationOnce(() => {
    throw busy;
  });
  onTestFinished(() => get.mockRestore());
  await ledger.checkIndex(new AbortController().signal);
  expect(ledger.indexDamaged).toBe(true);
});

/** What a till does with RequestIds: sells, takes back an intent, erases an old sale. */
type Step = { readonly does: "sell" | "abandon" | "erase"; readonly which: number };
const steps = fc.array(
  fc.record<Step>({ does: fc.constantFrom("sell", "sell", "abandon", "erase"), which: fc.nat(1_000) }),
  { minLength: 1, maxLength: 40 },
);

/** Plays the steps on a new store. @returns the RequestIds that are left in the index */
async function played(ledger: SqliteLedger, store: Store, played: readonly Step[]): Promise<string[]> {
  const open = new Map<number, string>();
  const keys = new RequestKeys(store.db);
  for (const [n, { does, which }] of played.entries()) {
    const ids = [...open.keys()];
    const id = ids[which % ids.length] ?? 0;
    if (does === "sell") {
      const requestId = `order-${which}-${n}-\u00e9`;
      open.set((await ledger.commit([newIntent(requestId)]))[0] ?? 0, requestId);
    } else if (open.size > 0) {
      if (does === "abandon") await ledger.commit([{ kind: "abandon", id }]);
      else
        await ledger.access.commit(() => {
          keys.erase(id, open.get(id) ?? "");
          store.db.exec(`DELETE FROM invoices WHERE id = ${id}`);
        });
      open.delete(id);
    }
  }
  return [...open.values()];
}

const DAMAGES = {
  "an entry is gone": (id: string) => `DELETE FROM invoices WHERE request_id = '${id}'`,
  "a RequestId is another": (id: string) => `UPDATE invoices SET request_id = 'x' WHERE request_id = '${id}'`,
  "a key is gone": () => "DELETE FROM request_keys WHERE key = (SELECT max(key) FROM request_keys)",
  "a key is another": () => "UPDATE request_keys SET key = key - 1 WHERE key = (SELECT min(key) FROM request_keys)",
};

it.each(Object.entries(DAMAGES))("finds nothing wrong after any sales, and notices that %s", async (_, damage) => {
  await fc.assert(
    fc.asyncProperty(steps, async (some) => {
      const store = openStore(temporaryFolder());
      try {
        const ledger = new SqliteLedger(store);
        const left = await played(ledger, store, [...some, { does: "sell", which: 0 }]);
        await ledger.checkIndex(new AbortController().signal);
        expect(ledger.indexDamaged).toBe(false);
        await ledger.access.commit(() => store.db.exec(damage(left.at(-1) ?? "")));
        await ledger.checkIndex(new AbortController().signal);
        expect(ledger.indexDamaged).toBe(true);
      } finally {
        store.close();
      }
    }),
    { numRuns: 15 },
  );
});

it("compares the store as it was when the comparison began, while sales go on", async () => {
  const store = openStore(await stored());
  onTestFinished(() => store.close());
  const ledger = new SqliteLedger(store);
  let isCompared = false;
  const compared = ledger.checkIndex(new AbortController().signal).finally(() => {
    isCompared = true;
  });
  let sold = 0;
  while (!isCompared) {
    await ledger.commit([newIntent(`order-${sold++}`)]);
    await setImmediate();
  }
  await compared;
  expect([ledger.indexDamaged, sold > 1]).toEqual([false, true]);
});

it("forgets the key of a sale that was not signed, and keeps those of erased sales", async () => {
  const dataDir = temporaryFolder();
  const store = openStore(dataDir);
  const ledger = new SqliteLedger(store);
  const [id = 0] = await ledger.commit([newIntent("order-1")]);
  await ledger.commit([{ kind: "abandon", id }]);
  expect(store.db.prepare("SELECT count(*) FROM request_keys").pluck().get()).toBe(0);
  expect(await ledger.byRequestId("order-1")).toBeUndefined();
  store.close();
});
