/** Damage that the running service meets is a finding: status, console and /ready show it, not only the answer to the POS. */
import { copyFileSync, readFileSync, renameSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { systemTimer, type Timer } from "../../src/base/clock.js";
import type { TillRecord } from "../../src/console/records/till.js";
import type { ErrorRecord } from "../../src/http/errors.js";
import { backupStore } from "../../src/ledger/backup.js";
import { STORE_FILE } from "../../src/ledger/database.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { temporaryFolder } from "../support/folder.js";
import { changeStore } from "../support/store-file.js";
import { item, openTill, sale, soldStore, type Till } from "../support/till.js";

/** An invoice of many items. */
const large = (count: number) =>
  sale({ items: Array.from({ length: count }, () => item("Coffee with milk and sugar", 100)) });

async function shown(till: Till) {
  const { mssc } = (await till.call("GET", "/api/v3/status")).json<{ mssc: string[] }>();
  const { findings } = (await till.call("GET", "/console/till")).json<TillRecord>();
  const { missing } = (await till.call("GET", "/ready")).json<{ missing: string[] }>();
  return { mssc, findings: findings.map(({ key }) => key), missing };
}

it("the service shows a damaged entry from the moment in which a repeat meets it, and sells on", async () => {
  const { dataDir, card } = await soldStore(2);
  changeStore(dataDir, "UPDATE invoices SET answer = replace(answer, '100', '900') WHERE request_id = 'order-1'");
  const till = await openTill({ settings: { dataDir }, card });
  expect(await shown(till)).toEqual({ mssc: ["9002"], findings: [], missing: [] });
  expect((await till.sell(sale(), { RequestId: "order-1" })).json()).toMatchObject({ code: "1999" });
  expect(await shown(till)).toEqual({ mssc: ["9002", "9014"], findings: ["entryDamaged"], missing: [] });
  expect((await till.sell(sale(), { RequestId: "order-3" })).json()).toMatchObject({ totalCounter: 3 });
});

/** Waits a thousandth of the time. */
const FAST: Timer = { ...systemTimer, sleep: (ms, ended) => systemTimer.sleep(ms / 1_000, ended) };

it("the service counts the damaged entries that nobody has read soon after its start", async () => {
  const { dataDir, card } = await soldStore(5);
  changeStore(dataDir, "UPDATE invoices SET answer = replace(answer, '100', '900') WHERE id < 5");
  const till = await openTill({ settings: { dataDir }, card, authorityTimer: FAST });
  const entryDamaged = async () =>
    (await till.call("GET", "/console/till")).json<TillRecord>().findings.find(({ key }) => key === "entryDamaged");
  await expect.poll(entryDamaged, { timeout: 20_000 }).toMatchObject({ values: { entries: 4 } });
});

it("the service shows an index that lacks a RequestId soon after its start, before anyone repeats that sale", async () => {
  const { dataDir, file, card } = await soldStore(2);
  const db = openDatabase(file, { readonly: true });
  const root = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_invoices_1'";
  const page = (Number(db.prepare(root).pluck().get()) - 1) * 4096;
  db.close();
  const content = readFileSync(file);
  content.write("order-9", content.indexOf("order-1", page));
  writeFileSync(file, content);
  const till = await openTill({ settings: { dataDir }, card, authorityTimer: FAST });
  await vi.waitFor(async () => {
    expect(await shown(till)).toEqual({ mssc: ["9002", "9014"], findings: ["indexDamaged"], missing: [] });
  }, 10_000);
  expect((await till.sell(sale(), { RequestId: "order-3" })).json()).toMatchObject({ totalCounter: 3 });
});

it("the service refuses new sales soon after its start if SQLite's check of the whole store breaks off at damage", async () => {
  const { dataDir, file, card } = await soldStore(1);
  const db = openDatabase(file, { readonly: true });
  const page = Number(
    db.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'earlier_certificates'").pluck().get(),
  );
  db.close();
  writeFileSync(file, readFileSync(file).fill(0x5a, (page - 1) * 4096, page * 4096));
  const till = await openTill({ settings: { dataDir }, card, authorityTimer: FAST });
  await vi.waitFor(async () => expect((await shown(till)).findings).toContain("storeDamaged"), 10_000);
  expect((await till.sell(sale())).json()).toMatchObject({ code: "1999" });
});

/** Changes a file in its place, as cp and a rotten disk do, and what the next start finds. */
const CHANGES_IN_PLACE: Record<
  string,
  readonly [change: (file: string, backup: string, page: number) => void, after: string]
> = {
  "a backup is copied over it": [(file, backup) => copyFileSync(backup, file), "behind"],
  "a page of it rots": [
    (file, _, page) => {
      const pages = readFileSync(file);
      writeFileSync(file, pages.fill(0x5a, (page - 1) * 4096, page * 4096));
    },
    "storeDamaged",
  ],
};

it.each(Object.entries(CHANGES_IN_PLACE))(
  "the service refuses new sales from the moment in which it meets a malformed store: %s",
  async (_, [change, after]) => {
    const { dataDir, file, card } = await soldStore(1);
    const backup = join(temporaryFolder(), "backup.db");
    copyFileSync(file, backup);
    const second = await openTill({ settings: { dataDir }, card });
    for (let i = 2; i <= 31; i++) await second.sell(sale(), { RequestId: `order-${i}` });
    await second.stop();
    const whole = readFileSync(file);
    const db = openDatabase(file, { readonly: true });
    const leaves = db.prepare("SELECT pageno FROM dbstat WHERE name = 'invoices' AND pagetype = 'leaf'").pluck().all();
    db.close();
    const page = Number(leaves[Math.floor(leaves.length / 2)]);
    const till = await openTill({ settings: { dataDir }, card });
    change(file, backup, page);
    const repeats: unknown[] = [];
    for (let i = 1; i <= 31; i++) {
      const { code } = (await till.sell(sale(), { RequestId: `order-${i}` })).json<{ code?: string }>();
      repeats.push(code);
    }
    expect(repeats).toContain("1999");
    const damaged = { findings: expect.arrayContaining(["storeDamaged"]), missing: ["1999"] };
    for (let i = 0; i < 3; i++) expect(await shown(till)).toMatchObject(damaged);
    expect((await till.sell(sale(), { RequestId: "new-1" })).json()).toMatchObject({ code: "1999" });
    expect(till.cardState().totalCounter).toBe(31);
    await till.stop();

    const again = await openTill({ settings: { dataDir }, card });
    await vi.waitFor(async () => expect((await shown(again)).findings).toContain(after), 5_000);
    if (after === "storeDamaged") {
      expect(await shown(again)).toMatchObject(damaged);
      expect((await again.sell(sale(), { RequestId: "new-2" })).json()).toMatchObject({ code: "1999" });
    }
    await again.stop();

    writeFileSync(file, whole);
    for (const log of ["-wal", "-shm"]) rmSync(file + log, { force: true });
    const mended = await openTill({ settings: { dataDir }, card });
    expect((await shown(mended)).findings).toEqual([]);
    expect((await mended.sell(sale(), { RequestId: "new-3" })).json()).toMatchObject({ totalCounter: 32 });
  },
);

it("an older backup over the running store makes no answered sale doubtful, and lets no new one be signed", async () => {
  const invoice = large(40);
  const { dataDir, file, card } = await soldStore(1, { invoice });
  const backup = readFileSync(file);
  const second = await openTill({ settings: { dataDir }, card });
  for (let i = 2; i <= 21; i++) await second.sell(invoice, { RequestId: `order-${i}` });
  await second.stop();
  const till = await openTill({ settings: { dataDir }, card });
  writeFileSync(file, backup);
  const refusals: string[] = [];
  for (let i = 2; i <= 21; i++) {
    const { code, details } = (await till.sell(invoice, { RequestId: `order-${i}` })).json<Partial<ErrorRecord>>();
    if (code !== undefined) refusals.push(`${code} ${details}`);
  }
  expect(refusals).not.toEqual([]);
  for (const refusal of refusals) {
    expect(refusal).toMatch(/^1999 The store is damaged/);
    expect(refusal).not.toContain("We do not know yet");
  }
  expect(await shown(till)).toMatchObject({ findings: ["storeDamaged"], missing: ["1999"] });
  expect((await till.sell(sale(), { RequestId: "new-1" })).json()).toMatchObject({ code: "1999" });
  expect(till.cardState().totalCounter).toBe(21);
});

/** Files that a person may copy over the running store: the same till's backup, and the store of another till. */
const COPIES: Record<string, (running: Till, dataDir: string) => Promise<Buffer>> = {
  "a backup of the same size": async (_, dataDir) => readFileSync(join(dataDir, STORE_FILE)),
  "a backup that tillseal has made": async (_, dataDir) => {
    const target = join(temporaryFolder(), "backup.db");
    await backupStore(dataDir, target);
    return readFileSync(target);
  },
  "a larger store of another till": async () => {
    const { file } = await soldStore(60);
    return readFileSync(file);
  },
};

it.each(Object.entries(COPIES))("no sale is signed after %s was copied over the running store", async (_, copyFor) => {
  const { dataDir, file, card } = await soldStore(1);
  // Free pages, so that the next sale does not make the file larger.
  changeStore(dataDir, "UPDATE trial SET content = zeroblob(99999); UPDATE trial SET content = x''");
  const till = await openTill({ settings: { dataDir }, card });
  const copy = await copyFor(till, dataDir);
  await till.sell(sale(), { RequestId: "order-2" });
  // The service writes its log back when nothing is sold.
  await vi.waitFor(() => expect(statSync(`${file}-wal`).size).toBe(0), 10_000);
  expect(copy.length).toBeGreaterThanOrEqual(statSync(file).size);
  expect((await shown(till)).findings).toEqual([]);
  writeFileSync(file, copy);
  const refusals: string[] = [];
  for (const requestId of ["new-1", "order-2"]) {
    const { code, details } = (await till.sell(sale(), { RequestId: requestId })).json<Partial<ErrorRecord>>();
    if (code !== undefined) refusals.push(`${code} ${details}`);
  }
  expect(refusals[0]).toContain("another program has changed its file");
  for (const refusal of refusals) {
    expect(refusal).toMatch(/^1999 The store(d answer of this sale)? is damaged/);
    expect(refusal).not.toMatch(/We do not know yet|was not signed/);
  }
  const damaged = { findings: expect.arrayContaining(["storeDamaged"]), missing: ["1999"] };
  expect(await shown(till)).toMatchObject(damaged);
  expect(till.cardState().totalCounter).toBe(2);
  await till.stop();
  const again = await openTill({ settings: { dataDir }, card });
  await vi.waitFor(async () => expect((await shown(again)).findings).not.toEqual([]), 5_000);
});

it("no sale is signed after the running store was cut behind its header", async () => {
  const { dataDir, file, card } = await soldStore(1);
  const till = await openTill({ settings: { dataDir }, card });
  truncateSync(file, statSync(file).size - 4_096);
  expect((await till.sell()).json()).toMatchObject({
    code: "1999",
    details: expect.stringContaining("another program has changed its file"),
  });
  expect(till.cardState().totalCounter).toBe(1);
});

it("a log that another program writes back into the running store is no damage", async () => {
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  for (let i = 1; i <= 5; i++) {
    await till.sell(sale());
    const other = openDatabase(join(dataDir, STORE_FILE));
    other.pragma("wal_checkpoint(PASSIVE)");
    other.close();
  }
  expect(await shown(till)).toMatchObject({ findings: [], missing: [] });
  expect((await till.sell(sale())).json()).toMatchObject({ totalCounter: 6 });
});

it("a log that another program writes back as far as a third one's reading allows is no damage", async () => {
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  const sellFour = async () => {
    for (let i = 1; i <= 4; i++) expect((await till.sell(large(60))).status).toBe(200);
  };
  await sellFour();
  const reader = openDatabase(join(dataDir, STORE_FILE), { readonly: true });
  reader.exec("BEGIN; SELECT count(*) FROM invoices");
  await sellFour();
  const other = openDatabase(join(dataDir, STORE_FILE));
  const [{ log, checkpointed } = { log: 0, checkpointed: 0 }] = other.pragma("wal_checkpoint(PASSIVE)") as {
    log: number;
    checkpointed: number;
  }[];
  expect(checkpointed).toBeLessThan(log);
  await sellFour();
  other.close();
  reader.close();
  await sellFour();
  expect(await shown(till)).toMatchObject({ findings: [], missing: [] });
});

it.each([
  [
    "replaced",
    (file: string) => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
  ],
  ["removed", (file: string) => rmSync(file)],
])("the service shows that the store was %s before a sale finds out, and as long as it lasts", async (_how, change) => {
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  await till.sell();
  change(join(dataDir, STORE_FILE));
  const gone = { mssc: ["9002", "9008"], findings: ["storeGone"], missing: ["1999"] };
  expect(await shown(till)).toEqual(gone);
  expect((await till.sell()).json()).toMatchObject({ code: "1999" });
  expect(await shown(till)).toEqual(gone);
});
