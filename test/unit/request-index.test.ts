/** A RequestId counts as new only if two independent places in the store do not have it. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/ledger/database.js";
import { BEGINNING, Erasing } from "../../src/ledger/erasing.js";
import { LedgerError } from "../../src/ledger/ledger.js";
import { PROGRESS_SQL } from "../../src/ledger/row-checksums.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { completion, newIntent, UID } from "../contract/ledger.contract.js";
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
