/** A store that another program uses, that is truncated, or beside which nothing can be written. */
import { existsSync, mkdirSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { openStore } from "../../src/ledger/database.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { newIntent } from "../contract/ledger.contract.js";
import { type ServiceProcess, serveProcess, tillseal, tillsealProcess } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { startStoreHolder } from "../support/store-holder.js";
import { type Answer, callService, JSON_HEADERS, sale } from "../support/till.js";

const PIN = { headers: { "Content-Type": "text/plain" }, body: "1234" };

/** The machine may be busy with other tests. */
const PATIENT = { timeout: 25_000 };

async function started(dataDir: string): Promise<ServiceProcess> {
  const service = await serveProcess(["--data-dir", dataDir]);
  await callService(service.url, "POST", "/api/v3/pin", PIN);
  return service;
}

const sell = ({ url }: ServiceProcess, requestId: string): Promise<Answer> =>
  callService(url, "POST", "/api/v3/invoices", { headers: { ...JSON_HEADERS, RequestId: requestId }, body: sale() });

/** Every answered sale is stored as it was answered, and the store has no other problems. */
async function expectNothingLost(dataDir: string, answered: ReadonlyMap<string, string>): Promise<void> {
  const verified = await tillsealProcess(["verify", "--data-dir", dataDir]);
  expect(verified.stdout).toContain("nothing is wrong");
  const { url } = await started(dataDir);
  for (const [requestId, text] of answered) {
    const stored = await callService(url, "GET", `/api/v3/invoices/${requestId}`);
    expect([stored.status, stored.text]).toEqual([200, text]);
  }
}

it("a service refuses a second service on a data folder and loses no answered sale, even after the lock file was deleted", async () => {
  const dataDir = temporaryFolder();
  const first = await started(dataDir);
  const answered = new Map<string, string>();
  let selling = true;
  const pos = async (name: string) => {
    for (let i = 0; selling; i++) {
      const answer = await sell(first, `${name}-${i}`);
      expect(answer.status).toBe(200);
      answered.set(`${name}-${i}`, answer.text);
    }
  };
  const both = Promise.all([pos("a"), pos("b")]);
  await vi.waitFor(() => expect(answered.size).toBeGreaterThan(5), PATIENT);
  rmSync(join(dataDir, "tillseal.lock"));
  const second = await tillsealProcess(["serve", "--port", "0", "--data-dir", dataDir]);
  expect([second.status, second.stderr]).toEqual([
    1,
    expect.stringContaining(`in use by another tillseal at ${first.url} (process ${first.process.pid})`),
  ]);
  const before = answered.size;
  await vi.waitFor(() => expect(answered.size).toBeGreaterThan(before), PATIENT);
  selling = false;
  await both;
  first.process.kill("SIGKILL");
  await first.exited;
  await expectNothingLost(dataDir, answered);
});

it("a service keeps the first service when a second one gets in after the lock file was deleted", async () => {
  const dataDir = temporaryFolder();
  const made = await started(dataDir);
  made.process.kill("SIGKILL");
  await made.exited;
  const lock = join(dataDir, "tillseal.lock");
  rmSync(lock);
  const second = tillsealProcess(["serve", "--port", "0", "--data-dir", dataDir]);
  await vi.waitFor(() => expect(existsSync(lock)).toBe(true), PATIENT);
  // The first one pauses between two commits until the second finds the store free.
  await sleep(100);
  const first = openDatabase(join(dataDir, "store/tillseal.db"));
  onTestFinished(() => void first.close());
  first.exec("BEGIN IMMEDIATE");
  expect(await second).toMatchObject({ status: 1, stderr: expect.stringContaining("is in use by") });
});

it("a service keeps a sale, but not attention and status, waiting for another program's lock, and loses nothing", async () => {
  const dataDir = temporaryFolder();
  const service = await started(dataDir);
  const answered = new Map<string, string>();
  const soldAs = async (requestId: string) => {
    const { status, text } = await sell(service, requestId);
    expect([status, text]).toEqual([200, expect.stringContaining("invoiceNumber")]);
    answered.set(requestId, text);
  };
  const holder = await startStoreHolder(join(dataDir, "store/tillseal.db"));
  // It gets in between two commits, sooner or later.
  const before = (async () => {
    for (let i = 0; !holder.holds(); i++) await soldAs(`order-${i}`);
  })();
  await vi.waitFor(() => expect(holder.holds()).toBe(true), PATIENT);
  let done = false;
  const waiting = soldAs("waits").finally(() => {
    done = true;
  });
  for (let i = 0; i < 5; i++) {
    expect((await callService(service.url, "GET", "/api/v3/attention")).status).toBe(200);
    expect((await callService(service.url, "GET", "/api/v3/status")).status).toBe(200);
  }
  expect(done).toBe(false);
  await holder.release();
  await before;
  await waiting;
  service.process.kill("SIGKILL");
  await service.exited;
  await expectNothingLost(dataDir, answered);
});

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
