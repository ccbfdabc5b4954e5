/** A restore that is killed at any moment leaves the old store or the new one, and the old one is never lost. */
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/ledger/database.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { StoreReading } from "../../src/ledger/store-reading.js";
import { newIntent } from "../contract/ledger.contract.js";
import { temporaryFolder } from "../support/folder.js";
import { built, wasKilled } from "../support/killed-at.js";

/** Runs a call of the built package, and kills it before its nth change of the file system. @returns whether it was killed */
const killedAt = (nth: number, module: string, call: string) =>
  wasKilled(`const all = await import(${built("src", "ledger", module)}); killAt(${nth}); all.${call};`);

/** A store that has an entry in its log only, as after a kill, and a backup with another entry. */
async function stores() {
  const running = temporaryFolder();
  const store = openStore(running);
  await new SqliteLedger(store).commit([newIntent("old-sale")]);
  const files = ["", "-wal"].map((suffix) => [suffix, readFileSync(join(running, `tillseal.db${suffix}`))] as const);
  store.close();
  const other = temporaryFolder();
  const backup = openStore(other);
  await new SqliteLedger(backup).commit([newIntent("sale-of-the-backup")]);
  backup.close();
  const folder = () => {
    const dataDir = temporaryFolder();
    for (const [suffix, content] of files) writeFileSync(join(dataDir, `tillseal.db${suffix}`), content);
    return dataDir;
  };
  return { folder, file: join(other, "tillseal.db") };
}

async function salesIn(dataDir: string): Promise<string[]> {
  const store = openStore(dataDir);
  const ids = (await new SqliteLedger(store).openIntents()).map(({ requestId }) => requestId ?? "");
  store.close();
  return ids;
}

const keptIn = (dataDir: string) => readdirSync(dataDir).filter((name) => /\.before-restore-[^.]*Z(-\d)?$/.test(name));

/** Sales of the store that was kept. */
async function keptSales(dataDir: string): Promise<string[]> {
  const folder = temporaryFolder();
  const [kept = "none"] = keptIn(dataDir);
  for (const suffix of ["", "-wal"]) {
    if (readdirSync(dataDir).includes(kept + suffix)) {
      copyFileSync(join(dataDir, kept + suffix), join(folder, `tillseal.db${suffix}`));
    }
  }
  return salesIn(folder);
}

const restore = (dataDir: string, file: string) =>
  `restoreStore(${JSON.stringify({ dataDir, file, at: 0 }).replace(/}$/, ", inspect: () => undefined }")})`;

it("tillseal restore leaves the old store or the new one, however often restore and the next start are killed", async () => {
  const { folder, file } = await stores();
  const seen = new Set<string>();
  for (let nth = 1; ; nth++) {
    const dataDir = folder();
    const killed = await killedAt(nth, "restore.js", restore(dataDir, file));
    // The start that completes it is killed too.
    if (killed && nth % 3 === 0) await killedAt(3, "database.js", `openStore(${JSON.stringify(dataDir)})`);
    const [sale = "none"] = await salesIn(dataDir);
    seen.add(sale);
    if (sale === "old-sale") expect(killed).toBe(true);
    else expect([sale, await keptSales(dataDir)]).toEqual(["sale-of-the-backup", ["old-sale"]]);
    if (!killed) break;
    expect(nth).toBeLessThan(100);
  }
  expect([...seen]).toEqual(["old-sale", "sale-of-the-backup"]);
}, 300_000);

it("tillseal restore makes no empty store in a new folder whose restore was killed, and reads none before it is completed", async () => {
  const { file } = await stores();
  const seen = new Set<string>();
  for (let nth = 1; ; nth += 2) {
    const dataDir = temporaryFolder();
    const killed = await killedAt(nth, "restore.js", restore(dataDir, file));
    const files = readdirSync(dataDir);
    if (files.includes("tillseal.db.restoring")) {
      expect(() => StoreReading.open(dataDir)).toThrow("start the service once: it completes the restore");
    }
    // Before the copy exists, nothing in the folder says that there was a store.
    const started = await salesIn(dataDir).catch((error: Error) => error.message);
    if (files.includes("tillseal.db.partial") || files.includes("tillseal.db")) {
      const expected = files.includes("tillseal.db.restoring") || files.includes("tillseal.db");
      if (expected) expect(started).toEqual(["sale-of-the-backup"]);
      else expect(started).toContain("a restore was interrupted. Run tillseal restore again");
    }
    seen.add(typeof started === "string" ? "refused" : (started[0] ?? "empty"));
    if (!killed) break;
    expect(nth).toBeLessThan(100);
  }
  expect([...seen]).toEqual(expect.arrayContaining(["refused", "sale-of-the-backup"]));
}, 300_000);
