/** Stored data is on the disk, not only in the system's cache, because a till may lose power at any time. */
import fs from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, vi } from "vitest";
import { writeDurably } from "../../src/base/write-durably.js";
import { openStore, STORE_FILE } from "../../src/ledger/database.js";
import { restoreStore } from "../../src/ledger/restore.js";
import { STORE_MARK } from "../../src/ledger/store-folder.js";
import { temporaryFolder } from "../support/folder.js";
import { openedStore } from "../support/ledgers.js";
import { useNodeSpies } from "../support/node-spies.js";

/** The calls that bring a file onto the disk, in their order, with the files' names. Ends with the test. */
function watchDisk(): string[] {
  const calls: string[] = [];
  const names = new Map<number, string>();
  const { openSync, fsyncSync, renameSync } = fs;
  vi.spyOn(fs, "openSync").mockImplementation((...args) => {
    const descriptor = openSync(...args);
    names.set(descriptor, String(args[0]));
    return descriptor;
  });
  vi.spyOn(fs, "fsyncSync").mockImplementation((descriptor) => {
    calls.push(`fsync ${names.get(descriptor)}`);
    fsyncSync(descriptor);
  });
  vi.spyOn(fs, "renameSync").mockImplementation((from, to) => {
    calls.push(`rename ${from} ${to}`);
    renameSync(from, to);
  });
  useNodeSpies();
  return calls;
}

it("the store syncs to the disk with every commit", () => {
  const store = openedStore();
  const pragma = (name: string) => store.db.pragma(name, { simple: true });
  expect([pragma("journal_mode"), pragma("synchronous")]).toEqual(["wal", 2]);
});

it("the store syncs a file that replaces another, and the rename", () => {
  const folder = temporaryFolder();
  const file = join(folder, "state.json");
  writeDurably(file, "old");
  const calls = watchDisk();
  writeDurably(file, "new");
  expect(fs.readFileSync(file, "utf8")).toBe("new");
  expect(calls).toEqual([`fsync ${file}.new`, `rename ${file}.new ${file}`, `fsync ${folder}`]);
});

it("the store syncs a restored copy before the copy becomes the store, and each rename", async () => {
  const [dataDir, other] = [temporaryFolder(), temporaryFolder()];
  for (const folder of [dataDir, other]) openStore(folder).close();
  const [store, made] = [join(dataDir, "store"), join(dataDir, "store.new")];
  const mark = join(dataDir, STORE_MARK);
  const calls = watchDisk();
  const { kept } = await restoreStore({ dataDir, file: join(other, STORE_FILE), at: 0, inspect: () => undefined });
  expect(calls).toEqual([
    ...[`fsync ${join(made, "tillseal.db")}`, `fsync ${made}`],
    ...[`rename ${store} ${dirname(kept ?? "")}`, `fsync ${dataDir}`],
    ...[`rename ${made} ${store}`, `fsync ${dataDir}`],
    ...[`fsync ${mark}.new`, `rename ${mark}.new ${mark}`, `fsync ${dataDir}`],
  ]);
});
