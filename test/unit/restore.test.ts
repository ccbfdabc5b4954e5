import { copyFileSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/ledger/database.js";
import { restoreStore } from "../../src/ledger/restore.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { newIntent } from "../contract/ledger.contract.js";
import { temporaryFolder } from "../support/folder.js";

/** A folder with a store that has a log, as after a kill, and an empty backup. */
async function killed(): Promise<{ dataDir: string; file: string }> {
  const running = temporaryFolder();
  const store = openStore(running);
  const file = join(temporaryFolder(), "backup.db");
  const empty = temporaryFolder();
  openStore(empty).close();
  copyFileSync(join(empty, "tillseal.db"), file);
  await new SqliteLedger(store).commit([newIntent("order-1")]);
  const dataDir = temporaryFolder();
  for (const suffix of ["", "-wal", "-shm"]) {
    copyFileSync(join(running, `tillseal.db${suffix}`), join(dataDir, `tillseal.db${suffix}`));
  }
  store.close();
  // A service leaves its lock file there.
  copyFileSync(join(empty, "tillseal.lock"), join(dataDir, "tillseal.lock"));
  return { dataDir, file };
}

it("leaves the present store as it was if the copy cannot get its name", async () => {
  const { dataDir, file } = await killed();
  const before = readdirSync(dataDir);
  const rename = () => {
    throw Object.assign(new Error("EBUSY: resource busy"), { code: "EBUSY" });
  };
  expect(() => restoreStore({ dataDir, file, at: 0, inspect: () => undefined, means: { rename } })).toThrow("EBUSY");
  expect(readdirSync(dataDir)).toEqual(before);
  const store = openStore(dataDir);
  expect(await new SqliteLedger(store).byRequestId("order-1")).toMatchObject({ state: "intent" });
  store.close();
});

it("has the present store and its log under another name before the copy gets the store's name", async () => {
  const { dataDir, file } = await killed();
  const contents = () => ["", "-wal"].map((suffix) => readFileSync(join(dataDir, `tillseal.db${suffix}`)));
  const present = contents();
  const rename = (from: string, to: string) => {
    const names = readdirSync(dataDir).filter((name) => name.includes(".before-restore-"));
    expect(names.map((name) => readFileSync(join(dataDir, name)))).toEqual(present);
    renameSync(from, to);
  };
  const { kept } = restoreStore({ dataDir, file, at: 0, inspect: () => undefined, means: { rename } });
  expect(kept.map((name) => readFileSync(name))).toEqual(present);
  expect(readdirSync(dataDir)).not.toContain("tillseal.db-wal");
});
