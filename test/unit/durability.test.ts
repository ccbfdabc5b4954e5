/** What is stored is on the disk, not only in the system's memory: a till's plug is pulled (design, "never", 1). */
import { expect, it, onTestFinished } from "vitest";
import { openStore } from "../../src/ledger/database.js";
import { temporaryFolder } from "../support/folder.js";

it("waits for the disk with every commit", () => {
  const store = openStore(temporaryFolder());
  onTestFinished(() => store.close());
  const pragma = (name: string) => store.db.pragma(name, { simple: true });
  expect([pragma("journal_mode"), pragma("synchronous")]).toEqual(["wal", 2]);
});
