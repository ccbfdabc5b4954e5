/** Automatic backups are checked, complete under their final names, and never delay a sale. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { backupName, backupsIn, lastGoodBackup, removeOld } from "../../src/bookkeeping/backup/backup-files.js";
import { makeBackup, nameOf } from "../../src/bookkeeping/backup/backup-job.js";
import { verifyStore } from "../../src/bookkeeping/verify/verify-store.js";
import { checkBackups } from "../../src/doctor/backups.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { serve } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { openTill, type Till } from "../support/till.js";

const HOUR = 3_600_000;
const noon = Date.UTC(2026, 5, 1, 12);

function folders() {
  const dataDir = temporaryFolder();
  const backupFolder = join(temporaryFolder(), "copies");
  mkdirSync(backupFolder);
  return { dataDir, backupFolder };
}

/** Waits until the service has made a backup. */
const madeIn = (till: Till) => vi.waitFor(() => expect(till.service.backupState?.lastGood).toBeDefined(), 20_000);

async function soldStore(sales = 2): Promise<string> {
  const dataDir = temporaryFolder();
  const till = await openTill({ settings: { dataDir } });
  for (let i = 0; i < sales; i++) await till.sell();
  await till.stop();
  return dataDir;
}

it("copies what was sold, and makes no second copy before it is due", async () => {
  const { dataDir, backupFolder } = folders();
  const settings = { dataDir, backupFolder, metrics: true };
  const first = await openTill({ settings, now: () => noon });
  await first.sell();
  await madeIn(first);
  const metrics = await first.call("GET", "/metrics");
  expect(metrics.text).toContain(`\ntillseal_last_good_backup_timestamp_seconds ${noon / 1000}\n`);
  await first.stop();
  const [made, ...others] = backupsIn(backupFolder, nameOf(dataDir));
  expect([made?.at, made?.good, others]).toEqual([noon, true, []]);
  expect(readdirSync(backupFolder)).toEqual([backupName(nameOf(dataDir), noon)]);

  const early = await openTill({ settings, now: () => noon + 23 * HOUR });
  await madeIn(early);
  await early.stop();
  expect(readdirSync(backupFolder)).toHaveLength(1);
  const due = await openTill({ settings, now: () => noon + 24 * HOUR });
  await vi.waitFor(() => expect(due.service.backupState?.lastGood).toBe(noon + 24 * HOUR), 20_000);
  await due.stop();
  const [copy] = backupsIn(backupFolder, nameOf(dataDir));
  const store = StoreReading.openFile(copy?.file ?? "");
  expect(verifyStore(store, () => undefined)).toMatchObject({ entries: 1, findings: [] });
  store.close();
});

it("copies one moment of the store while sales go on", async () => {
  const { dataDir, backupFolder } = folders();
  const till = await openTill({ settings: { dataDir } });
  for (let i = 0; i < 3; i++) await till.sell();
  const during: Promise<unknown>[] = [];
  const made = await makeBackup({ dataDir, folder: backupFolder, at: noon }, () => during.push(till.sell()));
  await Promise.all(during);
  expect(during.length).toBeGreaterThan(0);
  expect(made).toMatchObject({ invoices: 3, findings: 0 });
});

it("reports a missing folder, sells on, and does not create the folder", async () => {
  const { dataDir, backupFolder } = folders();
  const missing = join(backupFolder, "usb");
  const till = await openTill({ settings: { dataDir, backupFolder: missing } });
  await vi.waitFor(() => expect(till.service.backupState?.problem).toContain("does not exist; create it"), 20_000);
  expect((await till.sell()).status).toBe(200);
  expect(checkBackups({ backupFolder: missing, backupHours: 24 }, dataDir, noon)).toMatchObject([
    { verdict: "warn", message: expect.stringContaining("connect its disk") },
  ]);
  expect(readdirSync(backupFolder)).toEqual([]);
});

it("keeps the copy of a damaged store apart from the good ones", async () => {
  const { backupFolder } = folders();
  const dataDir = await soldStore();
  const db = openDatabase(join(dataDir, "tillseal.db"));
  db.exec("UPDATE invoices SET answer = json_set(answer, '$.mrc', 'x') WHERE id = 1");
  db.close();
  const made = await makeBackup({ dataDir, folder: backupFolder, at: noon }, () => undefined);
  expect(made.findings).toBeGreaterThan(0);
  expect(readdirSync(backupFolder)).toEqual([backupName(nameOf(dataDir), noon, false)]);
  expect(lastGoodBackup(backupFolder, nameOf(dataDir))).toBeUndefined();
});

it("removes old copies of its own store only, and never a good one to make room for a damaged one", () => {
  const folder = temporaryFolder();
  const names = [
    ...[1, 2, 3].map((hour) => backupName("aa", hour * HOUR)),
    ...[4, 5, 6].map((hour) => backupName("aa", hour * HOUR, false)),
    ...[backupName("bb", HOUR), "tillseal-aa-notes.db"],
  ];
  for (const name of names) writeFileSync(join(folder, name), "");
  expect(removeOld(folder, "aa", 2)).toBe(2);
  const gone = [backupName("aa", HOUR), backupName("aa", 4 * HOUR, false)];
  expect(readdirSync(folder)).toEqual(names.filter((name) => !gone.includes(name)).toSorted());
});

it("leaves no partial backup after a kill: the next start removes it", async () => {
  const { dataDir, backupFolder } = folders();
  const flags = ["--no-authority", "--data-dir", dataDir, "--control-port", "0", "--backup-folder", backupFolder];
  const killed = await serve(flags);
  await vi.waitFor(() => expect(readdirSync(backupFolder).length).toBeGreaterThan(0), { timeout: 20_000, interval: 1 });
  killed.process.kill("SIGKILL");
  await killed.exited;
  const name = nameOf(dataDir);
  // As a kill in the middle leaves it.
  writeFileSync(join(backupFolder, `${backupName(name, 0)}.partial`), "half");
  writeFileSync(join(backupFolder, `${backupName("ffffffff", 0)}.partial`), "of another till");
  const next = await serve(flags);
  await vi.waitFor(() => expect(lastGoodBackup(backupFolder, name)).toBeDefined(), 20_000);
  next.process.kill("SIGTERM");
  await next.exited;
  expect(readdirSync(backupFolder).filter((file) => file.endsWith(".partial"))).toEqual([
    `${backupName("ffffffff", 0)}.partial`,
  ]);
});

it("shows its age in the doctor, which warns when it is too old or not configured", async () => {
  const { backupFolder } = folders();
  const dataDir = await soldStore(1);
  const said = (now: number, folder?: string) =>
    checkBackups({ backupHours: 24, ...(folder ? { backupFolder: folder } : {}) }, dataDir, now)[0];
  expect(said(noon)).toMatchObject({ verdict: "warn", message: expect.stringContaining("set backupFolder") });
  expect(said(noon, backupFolder)).toMatchObject({
    verdict: "warn",
    message: expect.stringContaining("no good backup"),
  });
  await makeBackup({ dataDir, folder: backupFolder, at: noon }, () => undefined);
  expect(said(noon + 3 * HOUR, backupFolder)).toMatchObject({
    verdict: "ok",
    message: expect.stringContaining("3 h ago"),
  });
  expect(said(noon + 48 * HOUR, backupFolder)).toMatchObject({ verdict: "warn" });
});
