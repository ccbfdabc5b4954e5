/** Losses that were found by an attack: a restore that is killed, a clock ahead, a damaged index, another applet on the card. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { keptStores } from "../../src/ledger/store-folder.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { CLI, environmentWith } from "../support/environment.js";
import { call } from "./call.js";
import { oneSignature } from "./process-tortures.js";
import type { Run } from "./run.js";
import { compareAll, keepCopy } from "./store-tortures.js";
import type { Torture } from "./tortures.js";

const YEAR_MS = 365 * 86_400_000;
const BACKUP_MS = 60_000;
/** Longer than a restore takes. */
const KILL_WITHIN_MS = 2_500;

export const LOSS_TORTURES: readonly Torture[] = [
  { name: "restore killed, then the next start", reality: "real", alone: true, atEnd: restoreKilled },
  {
    name: "clock three years ahead, with backups",
    reality: "simulated",
    needsClock: true,
    alone: true,
    atEnd: clockAhead,
  },
  { name: "one bit of the index of RequestIds", reality: "simulated", alone: true, atEnd: indexDamaged },
  {
    name: "another applet selected before a signature",
    reality: "real",
    arm: (run) =>
      run.moments.once("before", oneSignature(run), async () => {
        run.note("another program selects another applet");
        await run.slot.selectAnother();
      }),
  },
];

/** Every receipt is in the store that is there at the end, or in the one that was kept. */
async function restoreKilled(run: Run): Promise<void> {
  const putBack = keepCopy(run);
  const store = join(run.dataDir, "store/tillseal.db");
  const backup = join(run.folder, "backup.db");
  copyFileSync(store, backup);
  const child = spawn(process.execPath, [CLI, "restore", backup, "--data-dir", run.dataDir], {
    env: environmentWith({}),
    stdio: "ignore",
  });
  const ended = once(child, "exit");
  const ms = run.chance.between(0, KILL_WITHIN_MS);
  await Promise.race([ended, sleep(ms)]);
  child.kill("SIGKILL");
  const [status] = (await ended) as [number | null];
  run.note(status === null ? `restore was killed after ${ms} ms: ${names(run)}` : "restore ended before it was killed");
  const service = await run.second();
  await service?.kill();
  const stores = [store, ...keptStores(run.dataDir)].filter((file) => existsSync(file));
  const numbers = new Set(stores.flatMap(numbersIn));
  for (const [id, answer] of run.answers) {
    const { invoiceNumber } = JSON.parse(answer) as { invoiceNumber: string };
    if (!numbers.has(invoiceNumber)) run.violations.push(`${id}: no store has ${invoiceNumber} after a killed restore`);
  }
  putBack();
}

function names(run: Run): string {
  return readdirSync(run.dataDir)
    .filter((name) => name.startsWith("store"))
    .join(" ");
}

function numbersIn(file: string): string[] {
  return StoreReading.openFile(file).use((store) => [...store.entries()].flatMap(({ number }) => number ?? []));
}

/** The good backup stays, the one from the future is reported, and no receipt is erased: the verdict looks for each. */
async function clockAhead(run: Run): Promise<void> {
  const folder = join(run.folder, "backups");
  mkdirSync(folder);
  const flags = { "backup-folder": folder, "backup-keep": "7", "retention-years": "1" };
  const started = async (isDone: (url: string) => Promise<boolean>) => {
    const service = await run.second(flags);
    const done = service !== undefined && (await run.eventually(() => isDone(service.url), BACKUP_MS));
    await service?.stop();
    return done;
  };
  const backups = () => readdirSync(folder).filter((name) => name.endsWith(".db"));
  if (!(await started(async () => backups().length === 1))) run.violations.push("no backup was made");
  const good = backups();
  run.shiftClock(3 * YEAR_MS);
  if (!(await started(async () => backups().length === 2))) run.note("no backup was made with the clock ahead");
  run.shiftClock(0);
  const reported = await started(async (url) => (await codesOf(url)).includes("9009"));
  if (backups().length === 2 && !reported) run.violations.push("a backup from the future is not reported");
  if (!good.every((name) => backups().includes(name))) run.violations.push("the good backup is gone");
}

async function codesOf(url: string): Promise<readonly string[]> {
  const outcome = await call(url, { method: "GET", path: "/api/v3/status" });
  return typeof outcome === "string" ? [] : (JSON.parse(outcome.text) as { mssc: string[] }).mssc;
}

/** Every old sale is still known: a repeat is not signed again. */
async function indexDamaged(run: Run): Promise<void> {
  const putBack = keepCopy(run);
  const file = join(run.dataDir, "store/tillseal.db");
  const db = openDatabase(file);
  db.pragma("wal_checkpoint(TRUNCATE)");
  const size = Number(db.pragma("page_size", { simple: true }));
  const sql = "SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_autoindex_invoices_1'";
  const root = db.prepare<[], number>(sql).pluck().get() ?? 0;
  db.close();
  const bytes = readFileSync(file);
  const from = (root - 1) * size;
  const used = Array.from({ length: size }, (_, at) => from + at).filter((at) => bytes[at] !== 0);
  const at = run.chance.pick(used);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << run.chance.between(0, 7));
  writeFileSync(file, bytes);
  const service = await run.second();
  if (service) await compareAll(run, service, "another answer with a damaged index", true);
  putBack();
}
