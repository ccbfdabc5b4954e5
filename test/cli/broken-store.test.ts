/** An unusable store or folder is reported in a sentence, never with a stack trace. */
import { mkdirSync, readFileSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openStore } from "../../src/ledger/database.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { newIntent } from "../contract/ledger.contract.js";
import { serveProcess, tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { startStoreHolder } from "../support/store-holder.js";

/** A data folder whose store has an intent. */
async function folderWithStore(): Promise<{ folder: string; file: string }> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "card"));
  const store = openStore(folder);
  await new SqliteLedger(store).commit([newIntent("order-1")]);
  store.close();
  return { folder, file: join(folder, "store/tillseal.db") };
}

async function startRefused(dataDir: string): Promise<string> {
  const { status, stderr } = await tillseal(["serve", "--port", "0", "--data-dir", dataDir]);
  expect(status).toBe(1);
  expect(stderr).not.toMatch(/\n\s+at /);
  return stderr;
}

it("a start reports a truncated store", async () => {
  const { folder, file } = await folderWithStore();
  truncateSync(file, readFileSync(file).length / 2);
  expect(await startRefused(folder)).toContain(`The store is damaged (${folder}). Run "tillseal verify"`);
});

it("a start reports a store that another program has locked", async () => {
  const { folder, file } = await folderWithStore();
  const holder = await startStoreHolder(file);
  await vi.waitFor(() => expect(holder.holds()).toBe(true), { timeout: 10_000 });
  expect(await startRefused(folder)).toContain(`${folder} is in use by another program`);
  await holder.release();
});

it("a start warns and goes on when the note of its address cannot be written", async () => {
  const { folder } = await folderWithStore();
  mkdirSync(join(folder, "tillseal.running.json"));
  const service = await serveProcess(["--data-dir", folder]);
  expect((await fetch(`${service.url}/api/v3/attention`)).status).toBe(200);
  expect(service.complaints()).toContain("the file with the service's address could not be written");
});
