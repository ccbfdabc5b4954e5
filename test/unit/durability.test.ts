/** Stored data is on the disk, not only in the system's cache, because a till may lose power at any time. */
import fs from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { openStore } from "../../src/ledger/database.js";
import { writeDurably } from "../../src/write-durably.js";
import { temporaryFolder } from "../support/folder.js";

/** The names of files passed by descriptor, in order of the calls. */
const calls = vi.hoisted(() => [] as string[]);
vi.mock("node:fs", async (original) => {
  const real = await original<typeof fs>();
  const names = new Map<number, string>();
  const spied = {
    ...real,
    openSync: (...args: Parameters<typeof fs.openSync>) => {
      const descriptor = real.openSync(...args);
      names.set(descriptor, String(args[0]));
      return descriptor;
    },
    fsyncSync: (descriptor: number) => {
      calls.push(`fsync ${names.get(descriptor)}`);
      real.fsyncSync(descriptor);
    },
    renameSync: (from: string, to: string) => {
      calls.push(`rename ${from} ${to}`);
      real.renameSync(from, to);
    },
  };
  return { ...spied, default: spied };
});

it("syncs to the disk with every commit", () => {
  const store = openStore(temporaryFolder());
  onTestFinished(() => store.close());
  const pragma = (name: string) => store.db.pragma(name, { simple: true });
  expect([pragma("journal_mode"), pragma("synchronous")]).toEqual(["wal", 2]);
});

it("does not sync temporary data", () => {
  const store = openStore(temporaryFolder(), { temporary: true });
  onTestFinished(() => store.close());
  expect(store.db.pragma("synchronous", { simple: true })).toBe(0);
});

it("syncs a file that replaces another, and the rename", () => {
  const folder = temporaryFolder();
  const file = join(folder, "state.json");
  writeDurably(file, "old");
  calls.length = 0;
  writeDurably(file, "new");
  expect(fs.readFileSync(file, "utf8")).toBe("new");
  expect(calls).toEqual([`fsync ${file}.new`, `rename ${file}.new ${file}`, `fsync ${folder}`]);
});
