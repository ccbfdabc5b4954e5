/** Erased receipts: what is deleted, what stays, and what later requests for them get. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { pino } from "pino";
import { expect, it, vi } from "vitest";
import type { EmulatedCard } from "../../emulator/card/emulated-card.js";
import { systemTimer } from "../../src/base/clock.js";
import type { Eraser, Erasure } from "../../src/bookkeeping/eraser.js";
import { Retention, yearsBefore } from "../../src/bookkeeping/retention.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { CLI, tillseal } from "../support/command.js";
import { makeCard } from "../support/emulated-card.js";
import { environmentWith } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";
import { verdictOn } from "../support/store-file.js";
import { JSON_HEADERS, openTill, sale } from "../support/till.js";

const noon = Date.UTC(2026, 5, 1, 12);
const BUYER = "RS10099887";
const ITEM = "Erasable tea";
const invoice = sale({
  buyerId: BUYER,
  items: [{ name: ITEM, quantity: 1, labels: ["A"], unitPrice: 10, totalAmount: 10 }],
});

function sql(dataDir: string, text: string): void {
  const db = openDatabase(join(dataDir, "tillseal.db"));
  db.exec(text);
  db.close();
}

/** A closed store with receipts under the RequestIds old-1 and so on. @param proven number of receipts that a proof of audit covers */
async function sold(count: number, proven = count): Promise<{ dataDir: string; card: EmulatedCard }> {
  const dataDir = temporaryFolder();
  const card = makeCard();
  const till = await openTill({ settings: { dataDir }, card, now: () => noon });
  for (let i = 1; i <= count; i++) expect((await till.sell(invoice, { RequestId: `old-${i}` })).status).toBe(200);
  await till.stop();
  sql(dataDir, `INSERT INTO audit_progress (uid, sent_to, proven_to) VALUES ('TESTCARD', ${proven}, ${proven})`);
  return { dataDir, card };
}

const before = ["--before", "2026-06-02"];
const erase = (dataDir: string, ...flags: string[]) =>
  tillseal(["data", "erase", ...before, ...flags, "--data-dir", dataDir, "--card", "pcsc"]);
const problemsIn = (dataDir: string) => verdictOn(dataDir).findings.map(({ problem }) => problem);
const filesWith = (dataDir: string, text: string) =>
  readdirSync(dataDir).filter((name) => readFileSync(join(dataDir, name)).includes(text));

it("erases proven receipts, and keeps the card's last receipt and everything without a proof", async () => {
  const { dataDir } = await sold(5, 3);
  const asked = await erase(dataDir);
  expect([asked.status, asked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
  const done = await erase(dataDir, "--yes");
  expect([done.status, done.stdout]).toEqual([
    0,
    expect.stringMatching(/^5 receipts are older than .* 3 of them .*; 2 are kept/),
  ]);
  expect(verdictOn(dataDir)).toMatchObject({ entries: 2, erased: 3, findings: [] });
  sql(dataDir, "UPDATE audit_progress SET proven_to = 5");
  await erase(dataDir, "--yes");
  expect(verdictOn(dataDir)).toMatchObject({ entries: 1, erased: 4, findings: [] });
});

it("keeps sales in doubt, damaged entries and receipts of an open report", async () => {
  const { dataDir } = await sold(6);
  sql(
    dataDir,
    `UPDATE invoices SET answer = json_set(answer, '$.mrc', 'x') WHERE id = 2;
     UPDATE invoices SET state = 'intent', answer = NULL, number = NULL, signature = NULL, total_counter = NULL WHERE id = 3;
     INSERT INTO reports (uid, kind, from_counter, at) VALUES ('TESTCARD', 'unproven', 4, 0)`,
  );
  await erase(dataDir, "--yes");
  const db = openDatabase(join(dataDir, "tillseal.db"));
  expect(db.prepare("SELECT id FROM invoices ORDER BY id").pluck().all()).toEqual([2, 3, 4, 6]);
  db.close();
});

it("never signs an erased sale again, and explains what became of it", async () => {
  const { dataDir, card } = await sold(3);
  await erase(dataDir, "--yes");
  const till = await openTill({ settings: { dataDir }, card, now: () => noon });
  const { totalCounter } = till.cardState();
  for (const body of [invoice, sale()]) {
    const repeated = await till.sell(body, { RequestId: "old-1" });
    expect([repeated.status, repeated.json()]).toMatchObject([400, { code: "2805" }]);
  }
  const asked = await till.call("GET", "/api/v3/invoices/old-1");
  expect(asked.json()).toMatchObject({ code: "2805", details: expect.stringContaining("was erased") });
  expect(till.cardState().totalCounter).toBe(totalCounter);
  expect((await till.call("GET", "/console/receipts/1")).json()).toMatchObject({
    details: expect.stringContaining("was erased on"),
  });
  const refund = { ...invoice, transactionType: "Refund", referentDocumentNumber: "TESTCARD-TESTCARD-1" };
  const refunded = await till.sell(refund);
  expect([refunded.status, refunded.headers.warning]).toEqual([200, expect.stringContaining("today's rates")]);
  expect((await till.sell(invoice, { RequestId: "new-1" })).json()).toMatchObject({ totalCounter: 5 });
  await till.stop();
  expect(problemsIn(dataDir)).toEqual([]);
});

it("leaves no trace of them in the files, whether or not the service runs", async () => {
  const closed = await sold(40);
  expect(filesWith(closed.dataDir, ITEM)).toEqual(["tillseal.db"]);
  // The last receipt stays.
  sql(closed.dataDir, "UPDATE audit_progress SET proven_to = 100");
  const apart = await openTill({ settings: { dataDir: closed.dataDir }, card: closed.card, now: () => noon });
  await apart.sell();
  // The console's index holds them too, in lower case.
  const indexed = ITEM.toLowerCase();
  await apart.call("GET", "/console/receipts?cashier=1");
  await apart.stop();
  expect(filesWith(closed.dataDir, indexed)).toEqual(["tillseal.receipts.db"]);
  await erase(closed.dataDir, "--yes");
  for (const text of [ITEM, BUYER, "old-", indexed, BUYER.toLowerCase()])
    expect(filesWith(closed.dataDir, text)).toEqual([]);

  const running = await sold(40);
  sql(running.dataDir, "UPDATE audit_progress SET proven_to = 100");
  const till = await openTill({ settings: { dataDir: running.dataDir }, card: running.card, now: () => noon });
  await till.sell();
  await till.call("GET", "/console/receipts?cashier=1");
  const done = await till.call("POST", "/console/data/erase", {
    headers: JSON_HEADERS,
    body: { before: "2026-06-02T00:00:00Z" },
  });
  expect(done.json()).toEqual({ erased: 40 });
  const left = await till.call("GET", "/console/receipts?cashier=1");
  expect(left.json<{ receipts: unknown[] }>().receipts).toHaveLength(1);
  await till.stop();
  for (const text of [ITEM, BUYER, indexed, BUYER.toLowerCase()]) expect(filesWith(running.dataDir, text)).toEqual([]);
  expect(problemsIn(running.dataDir)).toEqual([]);
});

it.each([
  ["is edited", "UPDATE erased SET total_counter = 9 WHERE id = 1", "the rest of an erased receipt is damaged"],
  [
    "is missing",
    "DELETE FROM erased WHERE id = 2",
    "counter 2 of TESTCARD is not in the store, and no report says why",
  ],
  ["was never announced", "DELETE FROM changes WHERE kind = 'erased'", "3 receipts are erased, but the record"],
])("tillseal verify tells erased receipts from damaged ones: the remainder %s", async (_, change, problem) => {
  const { dataDir } = await sold(4);
  await erase(dataDir, "--yes");
  expect(problemsIn(dataDir)).toEqual([]);
  sql(dataDir, change);
  expect(problemsIn(dataDir)).toContainEqual(expect.stringContaining(problem));
});

it("continues after a kill", async () => {
  const { dataDir, card } = await sold(150);
  const erasing = spawn(process.execPath, [CLI, "data", "erase", ...before, "--yes", "--data-dir", dataDir], {
    env: environmentWith({}),
    stdio: "ignore",
  });
  const log = join(dataDir, "tillseal.db-wal");
  await vi.waitFor(() => expect(existsSync(log) && statSync(log).size > 100_000).toBe(true), {
    timeout: 20_000,
    interval: 1,
  });
  erasing.kill("SIGKILL");
  await once(erasing, "exit");
  expect(problemsIn(dataDir)).toEqual([]);
  expect((await erase(dataDir, "--yes")).status).toBe(0);
  expect(verdictOn(dataDir)).toMatchObject({ entries: 1, erased: 149, findings: [] });
  const till = await openTill({ settings: { dataDir }, card, now: () => noon });
  for (const id of ["old-1", "old-75", "old-149"])
    expect((await till.sell(invoice, { RequestId: id })).status).toBe(400);
  expect((await till.sell(invoice, { RequestId: "old-150" })).headers["idempotent-replayed"]).toBe("true");
});

it("exports the receipts of one buyer, or all of them, with their journals", async () => {
  const { dataDir, card } = await sold(2);
  const till = await openTill({ settings: { dataDir }, card, now: () => noon });
  await till.sell(sale({ buyerId: "RS00000001" }));
  const folder = temporaryFolder();
  const exported = (name: string, ...flags: string[]) =>
    tillseal(["data", "export", join(folder, name), ...flags, "--data-dir", dataDir]);
  expect((await exported("of-buyer", "--buyer", BUYER)).stdout).toBe(
    `wrote 2 receipts to ${join(folder, "of-buyer")}\n`,
  );
  const [first, , end] = readFileSync(join(folder, "of-buyer", "receipts.jsonl"), "utf8").split("\n");
  expect(JSON.parse(first ?? "")).toMatchObject({
    number: "TESTCARD-TESTCARD-1",
    state: "complete",
    requestId: "old-1",
    request: { invoice: { buyerId: BUYER } },
    answer: { totalCounter: 1 },
  });
  expect(end).toBe("");
  expect(readFileSync(join(folder, "of-buyer", "journals.txt"), "utf8").match(/Erasable tea/g)).toHaveLength(2);
  expect((await exported("all", "--from", "2026-06-01", "--to", "2026-06-02")).stdout).toContain("3 receipts");
  expect((await exported("none", "--to", "2026-06-01")).stdout).toContain("0 receipts");
  expect((await exported("all")).stderr).toContain("exists already");
});

it("automatically erases receipts older than the configured years, and nothing while the clock is wrong", async () => {
  const erased: string[] = [];
  const eraser = { erase: async ({ before }: Erasure) => erased.push(before) } as unknown as Eraser;
  let off = false;
  const retention = new Retention({
    eraser,
    years: 10,
    newestProven: () => "2026-05-01T00:00:00.000Z",
    clock: { now: () => noon },
    clockCheck: () => ({ server: "ntp://a", ahead: 0, problem: undefined, off }),
    timer: systemTimer,
    log: pino({ level: "silent" }),
    changed: () => undefined,
  });
  await retention.sweep();
  off = true;
  await retention.sweep();
  expect(erased).toEqual(["2016-05-01T00:00:00.000Z"]);
});

it("counts the years back from the newest proven receipt, however far ahead the clock is", () => {
  const time = fc.integer({ min: Date.UTC(2020), max: Date.UTC(2090) });
  const property = fc.property(time, time, fc.integer({ min: 1, max: 100 }), (now, proven, years) => {
    const before = Date.parse(yearsBefore(now, new Date(proven).toISOString(), years));
    const least = years * 365 * 86_400_000;
    expect(before).toBeLessThanOrEqual(Math.min(now, proven) - least + 2 * 86_400_000);
  });
  fc.assert(property);
});
