/** After a fault, the store counts as writable only when a large commit on the store itself has succeeded. */
import { rmSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, it, onTestFinished, vi } from "vitest";
import { systemTimer } from "../../src/base/clock.js";
import { StoreHealth } from "../../src/fiscalizer/store-health.js";
import { STORE_FILE } from "../../src/ledger/database.js";
import type { LedgerError } from "../../src/ledger/ledger.js";
import { newIntent } from "../contract/ledger.contract.js";
import { complete, opened, sold } from "../support/sold-store.js";

interface Line {
  readonly level: number;
  readonly msg: string;
}

function logged(): { log: pino.Logger; lines: Line[] } {
  const lines: Line[] = [];
  return { lines, log: pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Line) }) };
}

/** A store with a sale, and its health as a service has it. */
async function watched() {
  const { log, lines } = logged();
  const { folder, store, ledger } = await sold();
  const { access } = ledger;
  const health = new StoreHealth(folder, () => access.tryWrite(), access, log);
  const fail = (error: LedgerError) => void health.note(error);
  access.watcher = { failed: fail, damaged: () => undefined };
  return { folder, store, ledger, health, lines };
}

it("a full store stays full while the folder has room for other files, and its first refusal is logged as a warning", async () => {
  const { folder, store, ledger, health, lines } = await watched();
  const pages = Number(store.db.pragma("page_count", { simple: true }));
  store.db.pragma(`max_page_count = ${pages + 4}`);
  const large = { ...newIntent("order-3").intent, intent: `"${"x".repeat(100_000)}"` };
  for (let n = 0; n < 3; n++) {
    await expect(ledger.commit([{ kind: "intent", intent: large }])).rejects.toMatchObject({ fault: "full" });
    expect(await health.problem()).toEqual({ fault: "full", folder });
  }
  expect(lines).toMatchObject([{ level: 40, msg: expect.stringContaining("The disk is full") }]);
  store.db.pragma("max_page_count = 100000");
  expect(await health.problem()).toBeUndefined();
});

it("a store that another tillseal has taken over stays so", async () => {
  const { folder, store, ledger, health } = await watched();
  store.db.exec("COMMIT");
  rmSync(join(folder, "tillseal.lock"));
  const second = opened(folder);
  await second.ledger.commit([newIntent("order-3")]);
  second.store.close();
  await expect(ledger.commit([newIntent("order-4")])).rejects.toMatchObject({ fault: "taken-over" });
  for (let n = 0; n < 3; n++) expect(await health.problem()).toEqual({ fault: "taken-over", folder });
});

it("a store whose failure comes during a successful trial has still failed", async () => {
  const error = Object.assign(new Error("full"), { code: "SQLITE_FULL" });
  const health: StoreHealth = new StoreHealth("/data", async () => void health.note(error));
  health.note(error);
  expect(await health.problem()).toEqual({ fault: "full", folder: "/data" });
});

it("a store whose file became shorter is damaged, and the answers of signed sales are still written", async () => {
  const { folder, store, ledger, health } = await watched();
  ledger.access.requireSound();
  store.db.exec("COMMIT");
  store.db.pragma("wal_checkpoint(TRUNCATE)");
  ledger.access.requireSound();
  const file = join(folder, STORE_FILE);
  truncateSync(file, statSync(file).size - 4096);
  expect(health.damage).toMatchObject({
    fault: "damaged",
    message: expect.stringContaining("another program has changed its file"),
  });
  await ledger.commit([complete(2)]);
});

it.each(["SQLITE_IOERR_READ", "SQLITE_IOERR_SHORT_READ"])("a store that is unreadable is damaged: %s", async (code) => {
  const { ledger } = await watched();
  const damaged = vi.fn();
  ledger.access.watcher = { failed: () => undefined, damaged };
  const fail = () => {
    throw Object.assign(new Error("disk I/O error"), { code });
  };
  for (let n = 0; n < 2; n++) await expect(ledger.access.read(fail)).rejects.toMatchObject({ fault: "damaged" });
  expect(() => ledger.access.requireSound()).toThrow("is damaged");
  expect(damaged).toHaveBeenCalledTimes(1);
});

it("a log that cannot be written back into the store is one line in the log, and a finding after three failures", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { log, lines } = logged();
  const { store, ledger } = await sold(log);
  const { access } = ledger;
  const pragma = vi.spyOn(store.db, "pragma").mockImplementation(() => {
    throw Object.assign(new Error("disk I/O error"), { code: "SQLITE_IOERR_WRITE" });
  });
  const seen = [1, 2, 3, 4].map(() => {
    vi.advanceTimersByTime(3_000);
    return access.keepsLog;
  });
  expect(seen).toEqual([false, false, true, true]);
  expect(lines).toMatchObject([{ level: 40, msg: expect.stringContaining("cannot be written back") }]);
  expect(access.version).toBeDefined();
  pragma.mockRestore();
  vi.advanceTimersByTime(3_000);
  expect(access.keepsLog).toBe(false);
});

it("a disk that needs long for a commit is one line in the log", async () => {
  const { log, lines } = logged();
  const { ledger } = await sold(log);
  let now = 0;
  vi.spyOn(systemTimer, "now").mockImplementation(() => (now += 20_000));
  onTestFinished(() => void vi.restoreAllMocks());
  await ledger.commit([complete(2)]);
  await ledger.commit([newIntent("order-3")]);
  expect(lines).toMatchObject([{ level: 40, msg: expect.stringMatching(/^the disk needed 20 s/) }]);
});
