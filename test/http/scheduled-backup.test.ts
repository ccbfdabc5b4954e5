/** Automatic backups are checked, complete under their final names, and never delay a sale. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, it, vi } from "vitest";
import { backupName, backupsIn, lastGoodOf, removeOld } from "../../src/bookkeeping/backup/backup-files.js";
import { makeBackup, nameOf } from "../../src/bookkeeping/backup/backup-job.js";
import { BackupSchedule, type BackupState } from "../../src/bookkeeping/backup/backup-schedule.js";
import { verifyStore } from "../../src/bookkeeping/verify/verify-store.js";
import { examine } from "../../src/commands/examine.js";
import { loadConfig } from "../../src/config/load.js";
import type { CheckRecord } from "../../src/console/records/doctor.js";
import { checkBackups } from "../../src/doctor/backups.js";
import { IN_MEMORY, openDatabase } from "../../src/ledger/sqlite.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { passing } from "../support/asleep.js";
import { serve, serveProcess } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { parseMetrics } from "../support/prometheus.js";
import { changeStore } from "../support/store-file.js";
import { JSON_HEADERS, openTill, soldStore, type Till } from "../support/till.js";

const HOUR = 3_600_000;
const noon = Date.UTC(2026, 5, 1, 12);

function folders() {
  const dataDir = temporaryFolder();
  const backupFolder = join(temporaryFolder(), "copies");
  mkdirSync(backupFolder);
  return { dataDir, backupFolder };
}

/** A whole SQLite file. */
const COPY = (() => {
  const db = openDatabase(IN_MEMORY);
  db.exec("CREATE TABLE content (text); CREATE INDEX by_text ON content (text)");
  return db.serialize();
})();

const madeIn = (till: Till) => vi.waitFor(() => expect(till.service.backupState?.lastGood).toBeDefined(), 20_000);

/** A schedule that looks once a minute, on a clock that goes from `from`. */
async function looked({ dataDir, folder, from = noon, minutes = 4, meanwhile }: Looked) {
  const lines: string[] = [];
  const changes: BackupState[] = [];
  const { timer, over } = passing(minutes * 60_000, (now) => {
    changes.push(schedule.state);
    meanwhile?.(now / 60_000);
  });
  const schedule = new BackupSchedule({
    dataDir,
    folder,
    keep: 3,
    clock: { now: () => from + timer.now() },
    timer,
    log: pino({ level: "warn" }, { write: (line) => void lines.push(line) }),
    changed: () => undefined,
  });
  schedule.start();
  await over;
  await schedule.stop();
  return { lines, changes };
}

interface Looked {
  readonly dataDir: string;
  readonly folder: string;
  /** ms since the epoch. */
  readonly from?: number;
  readonly minutes?: number;
  /** Called after each look. */
  readonly meanwhile?: (minute: number) => void;
}

it("a scheduled backup copies what was sold, and makes no second copy before it is due", async () => {
  const { dataDir, backupFolder } = folders();
  const settings = { dataDir, backupFolder, metrics: true };
  const first = await openTill({ settings, now: () => noon });
  await first.sell();
  await madeIn(first);
  const metrics = await first.call("GET", "/metrics");
  expect(metrics.text).toContain(`\ntillseal_last_good_backup_timestamp_seconds ${noon / 1000}\n`);
  await first.stop();
  const [made, ...others] = backupsIn(backupFolder, nameOf(dataDir), noon).past;
  expect([made?.at, made?.good, others]).toEqual([noon, true, []]);
  expect(readdirSync(backupFolder)).toEqual([backupName(nameOf(dataDir), noon)]);

  const early = await openTill({ settings, now: () => noon + 23 * HOUR });
  await madeIn(early);
  await early.stop();
  expect(readdirSync(backupFolder)).toHaveLength(1);
  const due = await openTill({ settings, now: () => noon + 24 * HOUR });
  await vi.waitFor(() => expect(due.service.backupState?.lastGood).toBe(noon + 24 * HOUR), 20_000);
  await due.stop();
  const copy = lastGoodOf(backupsIn(backupFolder, nameOf(dataDir), noon + 24 * HOUR));
  const verdict = StoreReading.openFile(copy?.file ?? "").use((store) => verifyStore(store, () => undefined));
  expect(verdict).toMatchObject({ entries: 1, findings: [] });
});

it("a scheduled backup shows backups from the future as a finding", async () => {
  const { backupFolder } = folders();
  const { dataDir } = await soldStore(1);
  writeFileSync(join(backupFolder, backupName(nameOf(dataDir), noon + 365 * 24 * HOUR)), "");
  const till = await openTill({ settings: { dataDir, backupFolder }, now: () => noon });
  await vi.waitFor(async () => {
    expect((await till.call("GET", "/api/v3/status")).json()).toMatchObject({ mssc: expect.arrayContaining(["9009"]) });
  }, 20_000);
});

it("a scheduled backup decides nothing by backups from the future: keeps them, makes the due ones only, and warns of them", async () => {
  const { backupFolder: folder } = folders();
  const { dataDir } = await soldStore(1);
  const store = nameOf(dataDir);
  const days = (count: number) => noon + count * 24 * HOUR;
  // The daily backups of a shop, and one of a day on which its clock was a year ahead.
  const ahead = backupName(store, days(365));
  const daily = [0, 1, 2].map((day) => backupName(store, days(day)));
  for (const name of [ahead, ...daily]) writeFileSync(join(folder, name), COPY);
  const { lines, changes } = await looked({ dataDir, folder, from: days(2) + HOUR });
  expect(readdirSync(folder)).toEqual([...daily, ahead].toSorted());
  expect(changes.at(-1)).toMatchObject({ lastGood: days(2), future: [join(folder, ahead)] });
  expect(lines.filter((line) => line.includes("dated in the future"))).toHaveLength(1);
  // The next one is due a day after the last one, and replaces the oldest.
  await looked({ dataDir, folder, from: days(3) });
  expect(readdirSync(folder)).toEqual([...daily.slice(1), backupName(store, days(3)), ahead].toSorted());
  const doctor = checkBackups(folder, dataDir, days(3) + HOUR);
  expect(doctor).toMatchObject([
    { verdict: "ok", message: expect.stringContaining("1 h ago") },
    { verdict: "warn", message: expect.stringContaining(ahead) },
  ]);
});

it.each(["rdcaae97", ""])(
  "a scheduled backup makes only the due backups of a store whose name is damaged: %j",
  async (name) => {
    const { backupFolder: folder } = folders();
    const { dataDir } = await soldStore(1);
    const db = openDatabase(join(dataDir, "store/tillseal.db"));
    db.prepare("UPDATE store_name SET name = ?").run(name);
    db.close();
    const { changes } = await looked({ dataDir, folder });
    expect(readdirSync(folder)).toHaveLength(1);
    expect(changes.at(-1)).toMatchObject({ lastGood: noon, problem: undefined });
  },
);

it("a scheduled backup copies one moment of the store while sales go on", async () => {
  const { dataDir, backupFolder } = folders();
  const till = await openTill({ settings: { dataDir } });
  for (let i = 0; i < 3; i++) await till.sell();
  const during: Promise<unknown>[] = [];
  const made = await makeBackup({ dataDir, folder: backupFolder, at: noon }, () => during.push(till.sell()));
  await Promise.all(during);
  expect(during.length).toBeGreaterThan(0);
  expect(made).toMatchObject({ invoices: 3, findings: 0 });
});

it("a scheduled backup reports a missing folder, sells on, and does not create the folder", async () => {
  const { dataDir, backupFolder } = folders();
  const missing = join(backupFolder, "usb");
  const till = await openTill({ settings: { dataDir, backupFolder: missing } });
  await vi.waitFor(() => expect(till.service.backupState?.problem).toContain("does not exist; create it"), 20_000);
  expect((await till.sell()).status).toBe(200);
  expect(checkBackups(missing, dataDir, noon)).toMatchObject([
    { verdict: "warn", message: expect.stringContaining("connect its disk") },
  ]);
  expect(readdirSync(backupFolder)).toEqual([]);
});

/** Disconnects the disk of the folder after the first look, and connects it again after the second. */
const reconnected = (folder: string) => (minute: number) => {
  if (minute === 1) renameSync(folder, `${folder}-away`);
  if (minute === 2) renameSync(`${folder}-away`, folder);
};

it("a scheduled backup reports no missing folder any more when the folder is back and no backup is due", async () => {
  const { backupFolder: folder } = folders();
  const { dataDir } = await soldStore(1);
  writeFileSync(join(folder, backupName(nameOf(dataDir), noon)), COPY);
  const { changes } = await looked({ dataDir, folder, minutes: 14, meanwhile: reconnected(folder) });
  expect(changes[1]?.problem).toContain("does not exist; create it");
  expect(changes.at(-1)).toMatchObject({ problem: undefined, lastGood: noon });
});

it("a scheduled backup keeps the copy of a damaged store apart, and still reports it when its folder was missing and is back", async () => {
  const { backupFolder: folder } = folders();
  const { dataDir } = await soldStore(2);
  damage(dataDir);
  const { changes } = await looked({ dataDir, folder, minutes: 14, meanwhile: reconnected(folder) });
  const problems = [changes[0], changes[1], changes.at(-1)].map((state) => state?.problem);
  expect(problems).toEqual([
    expect.stringContaining("the store is damaged"),
    expect.stringContaining("does not exist; create it"),
    expect.stringContaining("the store is damaged"),
  ]);
  expect(readdirSync(folder)).toEqual([backupName(nameOf(dataDir), noon, false)]);
  expect(changes.at(-1)?.lastGood).toBeUndefined();
});

const damage = (dataDir: string) =>
  changeStore(dataDir, "UPDATE invoices SET answer = json_set(answer, '$.mrc', 'x') WHERE id = 1");

it("a scheduled backup removes old copies of its own store only, and never a good one to make room for a damaged one", () => {
  const folder = temporaryFolder();
  const names = [
    ...[1, 2, 3].map((hour) => backupName("aa", hour * HOUR)),
    ...[4, 5, 6].map((hour) => backupName("aa", hour * HOUR, false)),
    backupName("bb", HOUR),
    "tillseal-aa-notes.db",
  ];
  for (const name of names) writeFileSync(join(folder, name), COPY);
  expect(removeOld(backupsIn(folder, "aa", noon), 2)).toBe(2);
  const gone = [backupName("aa", HOUR), backupName("aa", 4 * HOUR, false)];
  expect(readdirSync(folder)).toEqual(names.filter((name) => !gone.includes(name)).toSorted());
});

it("a scheduled backup leaves no partial backup after a kill: the next start removes it", async () => {
  const { dataDir, backupFolder } = folders();
  const flags = ["--no-authority", "--data-dir", dataDir, "--control-port", "0", "--backup-folder", backupFolder];
  const killed = await serveProcess(flags);
  await vi.waitFor(() => expect(readdirSync(backupFolder).length).toBeGreaterThan(0), { timeout: 20_000, interval: 1 });
  killed.process.kill("SIGKILL");
  await killed.exited;
  const name = nameOf(dataDir);
  // A kill in the middle of a backup leaves such a file.
  writeFileSync(join(backupFolder, `${backupName(name, 0)}.partial`), "half");
  writeFileSync(join(backupFolder, `${backupName("ffffffff", 0)}.partial`), "of another till");
  const next = await serve(flags);
  await vi.waitFor(() => expect(lastGoodOf(backupsIn(backupFolder, name, Date.now()))).toBeDefined(), 20_000);
  await next.stop();
  expect(readdirSync(backupFolder).filter((file) => file.endsWith(".partial"))).toEqual([
    `${backupName("ffffffff", 0)}.partial`,
  ]);
});

it("a scheduled backup shows its age in the doctor, which warns when it is too old or not configured", async () => {
  const { backupFolder } = folders();
  const { dataDir } = await soldStore(1);
  const examine = (now: number, folder?: string) => checkBackups(folder, dataDir, now)[0];
  expect(examine(noon)).toMatchObject({ verdict: "warn", message: expect.stringContaining("set backupFolder") });
  expect(examine(noon, backupFolder)).toMatchObject({
    verdict: "warn",
    message: expect.stringContaining("no good backup"),
  });
  await makeBackup({ dataDir, folder: backupFolder, at: noon }, () => undefined);
  expect(examine(noon + 3 * HOUR, backupFolder)).toMatchObject({
    verdict: "ok",
    message: expect.stringContaining("3 h ago"),
  });
  expect(examine(noon + 48 * HOUR, backupFolder)).toMatchObject({ verdict: "warn" });
});

const cut = (bytes: number) => COPY.subarray(0, bytes);

it.each([
  ["empty", cut(0)],
  ["a page of zeros", Buffer.alloc(4096)],
  ["cut in its header", cut(99)],
  ["cut after its first page", cut(4096)],
  ["too long", Buffer.concat([COPY, COPY])],
])("a backup whose file is %s is not good: the one before counts, at each place", async (_, content) => {
  const { backupFolder: folder } = folders();
  const { dataDir } = await soldStore(1);
  const store = nameOf(dataDir);
  writeFileSync(join(folder, backupName(store, noon - 5 * HOUR)), COPY);
  writeFileSync(join(folder, backupName(store, noon - HOUR)), content);
  const backups = backupsIn(folder, store, noon);
  expect(lastGoodOf(backups)?.at).toBe(noon - 5 * HOUR);
  const { changes } = await looked({ dataDir, folder });
  expect(changes.at(-1)).toMatchObject({ lastGood: noon - 5 * HOUR });
  expect(checkBackups(folder, dataDir, noon)).toMatchObject([
    { verdict: "ok", line: { key: "backupUnread", values: { hours: 5 } } },
  ]);
  removeOld(backups, 1);
  expect(readdirSync(folder)).toHaveLength(2);
});

it("a scheduled backup is read again each day: a damaged one does not count, at each place", async () => {
  const { dataDir, backupFolder } = folders();
  let now = noon;
  const settings = { dataDir, backupFolder, metrics: true };
  const till = await openTill({ settings, now: () => now });
  await madeIn(till);
  const [made = ""] = readdirSync(backupFolder);
  await till.stop();
  const content = readFileSync(join(backupFolder, made));
  const older = backupName(nameOf(dataDir), noon - 5 * HOUR);
  writeFileSync(join(backupFolder, older), content);
  writeFileSync(join(backupFolder, made), Buffer.from(content).fill(0x5a, 4096));
  now += HOUR;
  const next = await openTill({ settings, now: () => now });
  await expect.poll(() => next.service.backupState?.lastGood, { timeout: 20_000 }).toBe(noon - 5 * HOUR);
  const lines = (await next.call("GET", "/console/doctor")).json<CheckRecord[]>();
  expect(lines.find(({ subject }) => subject === "backup")?.message).toMatch(
    /^the last good backup is from 2026-06-01T07:00:00.000Z, 6 h ago: .* \(checked at 2026-06-01T13:00:00.000Z\)$/,
  );
  const { value } = parseMetrics((await next.call("GET", "/metrics")).text);
  expect(value("tillseal_last_good_backup_timestamp_seconds")).toBe((noon - 5 * HOUR) / 1000);
  await next.stop();
  const checks = await examine(loadConfig({ flags: { dataDir, backupFolder } }));
  const { message } = checks.find(({ subject }) => subject === "backup") ?? { message: "" };
  expect(message).toMatch(/^the last backup that counts is from 2026-06-01T07:00:00.000Z, /);
});

it("Free space keeps the newest backup that SQLite finds intact, and what is newer", async () => {
  const { dataDir, backupFolder } = folders();
  const till = await openTill({ settings: { dataDir, backupFolder }, now: () => noon });
  await till.sell();
  await madeIn(till);
  const names = [3, 2, 1].map((days) => backupName(nameOf(dataDir), noon - days * 24 * HOUR));
  const [made = ""] = readdirSync(backupFolder);
  const content = readFileSync(join(backupFolder, made));
  for (const name of names) writeFileSync(join(backupFolder, name), content);
  // A bad sector in each newer backup: header and size are right.
  const bad = Buffer.from(content).fill(0x5a, 4096);
  for (const name of [names[2] ?? "", made]) writeFileSync(join(backupFolder, name), bad);
  const free = () => till.call("POST", "/console/space/free", { headers: JSON_HEADERS, body: {} });
  expect((await free()).status).toBe(200);
  expect(readdirSync(backupFolder).toSorted()).toEqual([...names.slice(1), made].toSorted());
  writeFileSync(join(backupFolder, names[1] ?? ""), bad);
  expect((await free()).status).toBe(200);
  expect(readdirSync(backupFolder)).toHaveLength(3);
});
