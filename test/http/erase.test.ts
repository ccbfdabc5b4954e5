/** Erased receipts: what is deleted, what stays, and what later requests for them get. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { pino } from "pino";
import { expect, it, vi } from "vitest";
import { OtherTime } from "../../src/base/other-time.js";
import { Eraser } from "../../src/bookkeeping/eraser.js";
import { Retention, yearsBefore } from "../../src/bookkeeping/retention.js";
import { checkStore } from "../../src/doctor/store.js";
import { openStore } from "../../src/ledger/database.js";
import { checksumIn } from "../../src/ledger/row-checksums.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { passing } from "../support/asleep.js";
import { tillseal } from "../support/command.js";
import { CLI, environmentWith } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";
import { changeStore, problemsIn, verdictOn } from "../support/store-file.js";
import { JSON_HEADERS, openTill, sale, soldStore } from "../support/till.js";

const noon = Date.UTC(2026, 5, 1, 12);
const BUYER = "RS10099887";
const ITEM = "Erasable tea";
const invoice = sale({
  buyerId: BUYER,
  items: [{ name: ITEM, quantity: 1, labels: ["A"], unitPrice: 10, totalAmount: 10 }],
});

const sql = (dataDir: string, text: string) =>
  changeStore(dataDir, `${text}; UPDATE audit_progress SET checksum = ${checksumIn("audit_progress")}`);

/** A closed store with receipts under the RequestIds order-1 and so on. @param proven number of receipts that a proof of audit covers */
async function sold(count: number, proven = count) {
  const { dataDir, card } = await soldStore(count, { invoice, now: () => noon });
  sql(
    dataDir,
    `INSERT OR REPLACE INTO audit_progress (uid, sent_to, proven_to) VALUES ('TESTCARD', ${proven}, ${proven})`,
  );
  return { dataDir, card };
}

const before = ["--before", "2026-06-02"];
const erase = (dataDir: string, ...flags: string[]) =>
  tillseal(["data", "erase", ...before, ...flags, "--data-dir", dataDir, "--card", "pcsc"]);
const filesWith = (dataDir: string, text: string) =>
  readdirSync(join(dataDir, "store")).filter((name) => readFileSync(join(dataDir, "store", name)).includes(text));

it("the service erases proven receipts, and keeps the card's last receipt and everything without a proof", async () => {
  const { dataDir } = await sold(5, 3);
  const asked = await erase(dataDir);
  expect([asked.status, asked.stderr]).toEqual([2, expect.stringContaining("--yes")]);
  const done = await erase(dataDir, "--yes");
  expect([done.status, done.stdout]).toEqual([
    0,
    expect.stringMatching(/^5 receipts signed before .* 3 of them .*; 2 are kept/),
  ]);
  expect(verdictOn(dataDir)).toMatchObject({ entries: 2, erased: 3, findings: [] });
  sql(dataDir, "UPDATE audit_progress SET proven_to = 5");
  await erase(dataDir, "--yes");
  expect(verdictOn(dataDir)).toMatchObject({ entries: 1, erased: 4, findings: [] });
  expect(checkStore(dataDir).indexDamaged).toBe(false);
});

it("the service keeps sales in doubt, damaged entries and receipts of an open report", async () => {
  const { dataDir } = await sold(6);
  sql(
    dataDir,
    `UPDATE invoices SET answer = json_set(answer, '$.mrc', 'x') WHERE id = 2;
     UPDATE invoices SET state = 'intent', answer = NULL, number = NULL, signature = NULL, total_counter = NULL WHERE id = 3;
     INSERT INTO reports (uid, kind, from_counter, at) VALUES ('TESTCARD', 'unproven', 4, 0)`,
  );
  await erase(dataDir, "--yes");
  const db = openDatabase(join(dataDir, "store/tillseal.db"));
  expect(db.prepare("SELECT id FROM invoices ORDER BY id").pluck().all()).toEqual([2, 3, 4, 6]);
  db.close();
});

it("the service never signs an erased sale again, and explains what became of it", async () => {
  const { dataDir, card } = await sold(3);
  await erase(dataDir, "--yes");
  const till = await openTill({ settings: { dataDir }, card, now: () => noon });
  const { totalCounter } = till.cardState();
  for (const body of [invoice, sale()]) {
    const repeated = await till.sell(body, { RequestId: "order-1" });
    expect([repeated.status, repeated.json()]).toMatchObject([400, { code: "2805" }]);
  }
  const asked = await till.call("GET", "/api/v3/invoices/order-1");
  expect(asked.json()).toMatchObject({ code: "2805", details: expect.stringContaining("was erased. It is not") });
  expect(till.cardState().totalCounter).toBe(totalCounter);
  expect((await till.call("GET", "/console/receipts/1")).json()).toMatchObject({
    message: expect.stringMatching(/^This receipt was erased on [^,]*Z$/),
  });
  const refund = { ...invoice, transactionType: "Refund", referentDocumentNumber: "TESTCARD-TESTCARD-1" };
  const refunded = await till.sell(refund);
  expect([refunded.status, refunded.headers.warning]).toEqual([200, expect.stringContaining("today's rates")]);
  expect((await till.sell(invoice, { RequestId: "new-1" })).json()).toMatchObject({ totalCounter: 5 });
  await till.stop();
  expect(problemsIn(dataDir)).toEqual([]);
});

it("the service leaves no trace of them in the files, whether or not the service runs", async () => {
  const closed = await sold(40);
  expect(filesWith(closed.dataDir, ITEM)).toEqual(["tillseal.db"]);
  // The last receipt stays.
  sql(closed.dataDir, "UPDATE audit_progress SET proven_to = 100");
  const apart = await openTill({ settings: { dataDir: closed.dataDir }, card: closed.card, now: () => noon });
  await apart.sell();
  // The console's index holds them too, in lower case.
  const indexed = ITEM.toLowerCase();
  await apart.call("GET", "/console/receipts?search=1");
  await apart.stop();
  expect(filesWith(closed.dataDir, indexed)).toEqual(["tillseal.receipts.db"]);
  await erase(closed.dataDir, "--yes");
  for (const text of [ITEM, BUYER, "order-", indexed, BUYER.toLowerCase()])
    expect(filesWith(closed.dataDir, text)).toEqual([]);

  const running = await sold(40);
  sql(running.dataDir, "UPDATE audit_progress SET proven_to = 100");
  const till = await openTill({ settings: { dataDir: running.dataDir }, card: running.card, now: () => noon });
  await till.sell();
  await till.call("GET", "/console/receipts?search=1");
  const done = await till.call("POST", "/console/data/erase", {
    headers: JSON_HEADERS,
    body: { before: "2026-06-02T00:00:00Z" },
  });
  expect(done.json()).toEqual({ erased: 40 });
  const left = await till.call("GET", "/console/receipts?search=1");
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
  [
    "was never announced",
    "DELETE FROM changes WHERE kind = 'erased'",
    "the store has 3 erased receipts, but the record",
  ],
])("tillseal verify tells erased receipts from damaged ones: the remainder %s", async (_, change, problem) => {
  const { dataDir } = await sold(4);
  await erase(dataDir, "--yes");
  expect(problemsIn(dataDir)).toEqual([]);
  sql(dataDir, change);
  expect(problemsIn(dataDir)).toContainEqual(expect.stringContaining(problem));
});

it("the service continues after a kill", async () => {
  const { dataDir, card } = await sold(150);
  const erasing = spawn(process.execPath, [CLI, "data", "erase", ...before, "--yes", "--data-dir", dataDir], {
    env: environmentWith({}),
    stdio: "ignore",
  });
  const log = join(dataDir, "store/tillseal.db-wal");
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
  for (const id of ["order-1", "order-75", "order-149"])
    expect((await till.sell(invoice, { RequestId: id })).status).toBe(400);
  expect((await till.sell(invoice, { RequestId: "order-150" })).headers["idempotent-replayed"]).toBe("true");
});

it("the service exports the receipts of one buyer, or all of them, with their journals", async () => {
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
    requestId: "order-1",
    request: { invoice: { buyerId: BUYER } },
    answer: { totalCounter: 1 },
  });
  expect(end).toBe("");
  expect(readFileSync(join(folder, "of-buyer", "journals.txt"), "utf8").match(/Erasable tea/g)).toHaveLength(2);
  expect((await exported("all", "--from", "2026-06-01", "--to", "2026-06-02")).stdout).toContain("3 receipts");
  expect((await exported("none", "--to", "2026-06-01")).stdout).toContain("0 receipts");
  expect((await exported("all")).stderr).toContain("exists already");
});

it("an export counts no sale without a receipt as a receipt", async () => {
  const { dataDir } = await sold(4);
  const bare = "number = NULL, signature = NULL, answer = NULL";
  changeStore(
    dataDir,
    `UPDATE invoices SET state = 'intent', total_counter = NULL, ${bare} WHERE id = 1;
     UPDATE invoices SET state = 'lost', ${bare} WHERE id > 2;
     UPDATE invoices SET checksum = checksum(id, request_id, request_hash, uid, state, intent, total_counter, number,
       signature, answer)`,
  );
  const folder = join(temporaryFolder(), "all");
  const { stdout } = await tillseal(["data", "export", folder, "--data-dir", dataDir]);
  expect(stdout).toBe(
    `wrote 1 receipt to ${folder}\nalso sales without a receipt in this store: 1 in doubt, or being signed, 2 whose signature is lost\n`,
  );
});

const DAY = 86_400_000;
const YEARS = (count: number) => count * 365.25 * DAY;

/** A closed store with a proven receipt of each of these times. */
async function soldAt(times: readonly number[]): Promise<string> {
  const dataDir = temporaryFolder();
  let at = noon;
  const till = await openTill({ settings: { dataDir }, now: () => at });
  for (at of times) expect((await till.sell(invoice)).status).toBe(200);
  await till.stop();
  sql(
    dataDir,
    "INSERT OR REPLACE INTO audit_progress (uid, sent_to, proven_to) SELECT uid, max(id), max(id) FROM invoices",
  );
  return dataDir;
}

interface Passing {
  /** What the clock says at the start, ms since the epoch. */
  readonly clock: number;
  /** What another machine said at the start; undefined if none answered. */
  readonly other?: number;
  readonly days: number;
}

/** Lets the setting `retentionYears: 1` work for some days. @returns the log, and the ids of the receipts that are left */
async function retained(dataDir: string, { clock: start, other, days }: Passing) {
  const lines: string[] = [];
  const { timer, over } = passing(days * DAY);
  const clock = { now: () => start + timer.now() };
  const otherTime = new OtherTime(clock, timer);
  if (other !== undefined) otherTime.note("ntp://time.test", other);
  const store = openStore(dataDir);
  const { access } = new SqliteLedger(store);
  const retention = new Retention({
    eraser: new Eraser(access, async () => undefined),
    years: 1,
    time: () => otherTime.compare(),
    clockDrift: 300,
    clock,
    timer,
    log: pino({ level: "info" }, { write: (line) => void lines.push(line) }),
    changed: () => undefined,
  });
  retention.start();
  await over;
  await retention.stop();
  const left = store.db.prepare<[], number>("SELECT id FROM invoices ORDER BY id").pluck().all();
  store.close();
  return { left, lines };
}

it("the service erases nothing while a clock is years ahead, whether or not another machine says so", async () => {
  const dataDir = await soldAt([noon, noon, noon + YEARS(3)]);
  const alone = await retained(dataDir, { clock: noon + YEARS(3), days: 3 });
  expect(alone.left).toEqual([1, 2, 3]);
  expect(alone.lines.filter((line) => line.includes("no time server and no tax authority"))).toHaveLength(1);
  const compared = await retained(dataDir, { clock: noon + YEARS(3), other: noon, days: 3 });
  expect(compared.left).toEqual([1, 2, 3]);
  expect(compared.lines.filter((line) => line.includes("the clock differs from ntp://time.test"))).toHaveLength(1);
});

it("the service erases receipts whose years are over by the time of another machine, at most 31 days of them in a run", async () => {
  const days = [0, 30, 31, 90, 400].map((day) => noon + day * DAY);
  const dataDir = await soldAt(days);
  const now = noon + YEARS(2);
  const first = await retained(dataDir, { clock: now, other: now, days: 0.5 });
  expect(first.left).toEqual([3, 4, 5]);
  expect(first.lines.filter((line) => line.includes("only 31 days were erased"))).toHaveLength(1);
  const next = await retained(dataDir, { clock: now, other: now, days: 2.5 });
  expect(next.left).toEqual([5]);
});

it("the service counts the years by the calendar", () => {
  const time = fc.integer({ min: Date.UTC(2020), max: Date.UTC(2090) });
  const property = fc.property(time, fc.integer({ min: 1, max: 100 }), (now, years) => {
    const gone = now - yearsBefore(now, years);
    expect(Math.abs(gone - YEARS(years))).toBeLessThanOrEqual(2 * DAY);
  });
  fc.assert(property);
});
