import { copyFileSync, existsSync, readdirSync, renameSync } from "node:fs";
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
  // As left by a service.
  copyFileSync(join(empty, "tillseal.lock"), join(dataDir, "tillseal.lock"));
  return { dataDir, file };
}

it.each([1, 2, 3, 4])("puts the present store back whole if rename %i fails", async (failing) => {
  const { dataDir, file } = await killed();
  const before = readdirSync(dataDir);
  let renames = 0;
  const rename = (from: string, to: string) => {
    if (++renames === failing) throw Object.assign(new Error("EBUSY: resource busy"), { code: "EBUSY" });
    renameSync(from, to);
  };
  expect(() => restoreStore({ dataDir, file, at: 0, inspect: () => undefined, rename })).toThrow("EBUSY");
  expect(readdirSync(dataDir)).toEqual(before);
  const store = openStore(dataDir);
  expect(await new SqliteLedger(store).byRequestId("order-1")).toMatchObject({ state: "intent" });
  store.close();
});

it("has the log of the kept store in both places before the store moves", async () => {
  const { dataDir, file } = await killed();
  const moves: string[] = [];
  const rename = (from: string, to: string) => {
    if (moves.length === 0) expect(existsSync(`${to}-wal`)).toBe(true);
    moves.push(from.replace(dataDir, ""));
    renameSync(from, to);
  };
  const { kept } = restoreStore({ dataDir, file, at: 0, inspect: () => undefined, rename });
  expect(moves[0]).toMatch(/tillseal\.db$/);
  expect(kept.map((name) => existsSync(name))).toEqual([true, true, true]);
});
