/** A restore that is killed at any moment never loses a store, and no start makes an empty one. */
import { cpSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { messageOf } from "../../src/base/thrown.js";
import { openStore, STORE_FILE } from "../../src/ledger/database.js";
import { restoreStore } from "../../src/ledger/restore.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { keptStores } from "../../src/ledger/store-folder.js";
import { newIntent } from "../contract/ledger.contract.js";
import { temporaryFolder } from "../support/folder.js";
import { built, wasKilled } from "../support/killed-at.js";

/** Runs a call of the built package, and kills it before its nth change of the file system. @returns whether it was killed */
const killedAt = (nth: number, module: string, call: string) =>
  wasKilled(`const all = await import(${built("src", "ledger", module)}); killAt(${nth}); all.${call};`);

/** A folder whose store has an entry in its log only, as after a kill, and a backup with another entry. */
async function stores() {
  const running = temporaryFolder();
  const store = openStore(running);
  await new SqliteLedger(store).commit([newIntent("old-sale")]);
  const killed = temporaryFolder();
  cpSync(join(running, "store"), join(killed, "store"), { recursive: true });
  store.close();
  const other = temporaryFolder();
  const backup = openStore(other);
  await new SqliteLedger(backup).commit([newIntent("sale-of-the-backup")]);
  backup.close();
  const folder = () => {
    const dataDir = temporaryFolder();
    cpSync(killed, dataDir, { recursive: true });
    return dataDir;
  };
  return { folder, file: join(other, STORE_FILE) };
}

/** Sales that a start finds, or why it refuses. */
async function salesIn(dataDir: string): Promise<string> {
  try {
    const store = openStore(dataDir);
    const entries = await new SqliteLedger(store).openIntents();
    store.close();
    return entries.map(({ requestId }) => requestId).join();
  } catch (error) {
    return messageOf(error);
  }
}

/** Sales of the stores that were kept. */
async function keptSales(dataDir: string): Promise<string> {
  const folder = temporaryFolder();
  const [kept = "none"] = keptStores(dataDir);
  cpSync(dirname(kept), join(folder, "store"), { recursive: true });
  return salesIn(folder);
}

const restore = (dataDir: string, file: string) =>
  `restoreStore(${JSON.stringify({ dataDir, file, at: 0 }).replace(/}$/, ", inspect: () => undefined }")})`;

it("tillseal restore leaves the old store, the new one, or none and says what to do, however often it is killed", async () => {
  const { folder, file } = await stores();
  const seen = new Set<string>();
  for (let nth = 1; ; nth++) {
    const dataDir = folder();
    const killed = await killedAt(nth, "restore.js", restore(dataDir, file));
    // The restore that repeats it is killed too.
    if (killed && nth % 3 === 0) await killedAt(3, "restore.js", restore(dataDir, file));
    const sales = await salesIn(dataDir);
    if (sales === "old-sale") expect(killed).toBe(true);
    else expect(await keptSales(dataDir)).toBe("old-sale");
    seen.add(sales.replaceAll(dataDir, ""));
    await restoreStore({ dataDir, file, at: 0, inspect: () => undefined });
    expect([await salesIn(dataDir), keptStores(dataDir).length > 0]).toEqual(["sale-of-the-backup", true]);
    if (!killed) break;
    expect(nth).toBeLessThan(100);
  }
  expect([...seen]).toEqual(["old-sale", expect.stringContaining("rename that folder to store"), "sale-of-the-backup"]);
}, 300_000);

it("tillseal restore makes no empty store in a new folder whose restore was killed", async () => {
  const { file } = await stores();
  const seen: string[] = [];
  for (let nth = 1; ; nth++) {
    const dataDir = temporaryFolder();
    const killed = await killedAt(nth, "restore.js", restore(dataDir, file));
    const begun = readdirSync(dataDir).some((name) => name.startsWith("store"));
    const sales = await salesIn(dataDir);
    // Before it makes a folder, nothing says that there was a store.
    if (begun) seen.push(sales.replaceAll(dataDir, ""));
    if (!killed) break;
    expect(nth).toBeLessThan(100);
  }
  expect([...new Set(seen)]).toEqual([expect.stringContaining("Run tillseal restore again"), "sale-of-the-backup"]);
}, 300_000);
