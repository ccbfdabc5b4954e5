import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { expect, it } from "vitest";
import { backupStore } from "../../src/ledger/backup.js";
import { openStore } from "../../src/ledger/database.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { newIntent } from "../contract/ledger.contract.js";
import { tillseal, tillsealProcess } from "../support/command.js";
import { CLI, environmentWith } from "../support/environment.js";
import { temporaryFolder } from "../support/folder.js";
import { openedStore } from "../support/ledgers.js";
import { openTill, sale } from "../support/till.js";

it("tillseal backup copies the store while the service sells, and the copy has the invoices", async () => {
  const folder = temporaryFolder();
  const dataDir = join(folder, "data");
  const till = await openTill({ settings: { dataDir } });
  await till.sell(sale(), { RequestId: "order-1" });
  await till.sell(sale(), { RequestId: "order-2" });
  const copies = join(folder, "copies");
  mkdirSync(join(copies, "store"), { recursive: true });
  const made = await tillsealProcess(["backup", join(copies, "store/tillseal.db"), "--data-dir", dataDir]);
  expect(made).toMatchObject({ status: 0, stdout: `${join(copies, "store/tillseal.db")} has 2 invoices\n` });
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 3 });
  const copy = openStore(copies);
  try {
    const entry = await new SqliteLedger(copy).byRequestId("order-2");
    expect(entry).toMatchObject({ state: "complete", totalCounter: 2, intact: true });
  } finally {
    copy.close();
  }
});

it("tillseal backup copies before an upgrade into the data folder, and keeps the copy of the version that sold last", async () => {
  const dataDir = join(temporaryFolder(), "data");
  const till = await openTill({ settings: { dataDir } });
  await till.sell();
  const copies = join(dataDir, "before-upgrade");
  const copy = async () => {
    const { stdout, status } = await tillseal(["backup", "--before-upgrade", "--data-dir", dataDir]);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/^.*before-upgrade.* has \d+ invoices?\n$/)]);
  };
  await copy();
  const [sold] = readdirSync(copies);
  expect(sold).toMatch(/-1\.db$/);
  // Each copy has the second of its time in its name.
  for (const past of ["20200101T000000Z-1.db", "20200102T000000Z-1.db"]) writeFileSync(join(copies, past), "");
  await till.sell();
  await copy();
  expect(readdirSync(copies).map((name) => name.replace(/^(?!2020)\d{8}T\d{6}Z/, "now"))).toEqual([
    "20200101T000000Z-1.db",
    "now-2.db",
  ]);
});

it("tillseal backup explains a folder that cannot be made", async () => {
  const dataDir = join(temporaryFolder(), "data");
  const till = await openTill({ settings: { dataDir } });
  await till.sell();
  writeFileSync(join(dataDir, "before-upgrade"), "");
  const { status, stderr } = await tillseal(["backup", "--before-upgrade", "--data-dir", dataDir]);
  expect([status, stderr]).toEqual([1, expect.stringContaining("before-upgrade cannot be made")]);
});

it("tillseal backup leaves nothing under the copy's name when killed, and the next one succeeds", async () => {
  const folder = temporaryFolder();
  const store = openStore(folder);
  store.db.exec(`CREATE TABLE bulk (content);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60)
      INSERT INTO bulk SELECT randomblob(1000000) FROM n`);
  store.close();
  const target = join(folder, "copy.db");
  const child = spawn(process.execPath, [CLI, "backup", target, "--data-dir", folder], { env: environmentWith() });
  const ended = once(child, "exit");
  // The copy has begun.
  const begun = () => readdirSync(folder).some((name) => name.startsWith("copy.db"));
  while (child.exitCode === null && !begun()) await setImmediate();
  child.kill("SIGKILL");
  await ended;
  expect(existsSync(target)).toBe(false);
  const again = await tillseal(["backup", target, "--data-dir", folder]);
  expect(again).toMatchObject({ status: 0, stdout: `${target} has 0 invoices\n` });
  expect(readdirSync(folder).filter((name) => name.startsWith("copy.db"))).toEqual(["copy.db"]);
});

it("tillseal backup ends even when sales are stored all the time", async () => {
  const folder = temporaryFolder();
  const store = openedStore(folder);
  store.db.exec("CREATE TABLE bulk AS SELECT randomblob(3000000) AS content");
  const ledger = new SqliteLedger(store);
  let sales = 0;
  let copied = false;
  const copying = backupStore(folder, join(folder, "copy.db")).then(() => {
    copied = true;
  });
  while (!copied && sales < 500) {
    await ledger.commit([newIntent(`order-${++sales}`)]);
    await setImmediate();
  }
  expect(sales).toBeLessThan(500);
  await copying;
});
