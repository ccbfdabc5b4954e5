/** A disk that accepts no writes: the POS, status and the console report it, and what became of the sale. */
import { expect, it, onTestFinished, vi } from "vitest";
import type { Fault } from "../../emulator/faults/fault.js";
import { World } from "../../emulator/world/world.js";
import type { TillRecord } from "../../src/console/records/till.js";
import { StoreHealth, storeRefusal } from "../../src/fiscalizer/store-health.js";
import { LedgerError } from "../../src/ledger/ledger.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { temporaryFolder } from "../support/folder.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

async function open(...faults: Fault[]) {
  const dataDir = temporaryFolder();
  const world = await World.open({ card: { pinVerified: true }, faults }, { dataDir });
  onTestFinished(() => world.close());
  const get = async <T>(path: string) => (await callService(world.url, "GET", path)).json<T>();
  return {
    world,
    full: `The disk is full (${dataDir}). Free some space`,
    sell: (RequestId = "") =>
      callService(world.url, "POST", "/api/v3/invoices", { headers: { ...JSON_HEADERS, RequestId }, body: sale() }),
    codes: async () => {
      const { gsc, mssc } = await get<{ gsc: string[]; mssc: string[] }>("/api/v3/status");
      return { gsc, mssc };
    },
    findings: async () => (await get<TillRecord>("/console/till")).findings.map(({ key }) => key),
  };
}

const WELL = { gsc: ["0100"], mssc: ["9002"] };
const REFUSES = { gsc: ["1999", "0100"], mssc: ["9002", "9008"] };

it("a full disk is reported before the card signs, in status and in the console, until there is room", async () => {
  const { world, full, sell, codes, findings } = await open({ on: "storeIntent", kind: "diskFull" });
  expect(await codes()).toEqual(WELL);
  const refused = await sell("order-1");
  expect([refused.status, refused.json()]).toEqual([
    500,
    expect.objectContaining({ code: "1999", details: `${full}; the sale was not signed.` }),
  ]);
  expect(await codes()).toEqual(REFUSES);
  expect(await findings()).toEqual(["diskFull"]);
  world.faults.clear();
  expect(await findings()).toEqual([]);
  expect(await codes()).toEqual(WELL);
  expect((await sell("order-1")).json()).toMatchObject({ totalCounter: 1 });
});

it("a full disk is over after one refused sale, if the faults that remain concern other operations of the store", async () => {
  const { sell, codes } = await open(
    { on: "storeReport", kind: "diskReadOnly" },
    { on: "storeIntent", kind: "diskFull", nth: 1 },
  );
  expect((await sell("order-1")).json()).toMatchObject({ code: "1999" });
  expect(await codes()).toEqual(WELL);
  expect((await sell("order-1")).json()).toMatchObject({ totalCounter: 1 });
});

it("a full disk after the signature is reported to every repeat, and the sale is stored once there is room", async () => {
  const { world, full, sell, codes, findings } = await open({ on: "storeAnswer", kind: "diskFull" });
  const signed = `${full}. The card signed this sale, and it is stored as soon as that works. Repeat it with the same RequestId.`;
  for (const _ of [1, 2]) expect((await sell("order-1")).json()).toMatchObject({ code: "1999", details: signed });
  const answer = await callService(world.url, "GET", "/api/v3/invoices/order-1");
  expect(answer.json()).toMatchObject({ code: "1999", details: signed });
  // No other sale is signed in the meantime.
  expect((await sell("order-2")).json().details).toBe(`${full}; the sale was not signed.`);
  expect(await codes()).toEqual({ ...REFUSES, mssc: ["9002", "9007", "9008"] });
  expect(await findings()).toEqual(["held", "diskFull"]);
  world.faults.clear();
  expect(await codes()).toEqual(WELL);
  expect(world.service.stored).toEqual({ complete: 1, open: 0, lost: 0 });
  const again = await sell("order-1");
  expect([again.headers["idempotent-replayed"], again.json().totalCounter]).toEqual(["true", 1]);
});

it.each(["diskFull", "diskReadOnly", "diskError"] as const)(
  "a receipt that only the memory has is saved without a request once the store can be written (%s)",
  async (kind) => {
    const { world, sell } = await open({ on: "storeAnswer", kind });
    expect((await sell("order-1")).json()).toMatchObject({ code: "1999" });
    world.faults.clear();
    expect(world.service.stored).toMatchObject({ complete: 0 });
    await vi.waitFor(() => {
      world.clock.set(world.clock.now() + 5_000);
      expect(world.service.stored).toEqual({ complete: 1, open: 0, lost: 0 });
    }, 10_000);
  },
);

it("a full disk after the signature of a sale without RequestId warns against a second sale", async () => {
  const { sell } = await open({ on: "storeAnswer", kind: "diskFull" });
  expect((await sell()).json().details).toContain("Do not post it again");
});

it("a full disk while a sale in doubt is being settled leaves it in doubt", async () => {
  const { full, sell } = await open({ on: "sign", kind: "noAnswer" }, { on: "storeAnswer", kind: "diskFull" });
  expect((await sell("order-1")).json().details).toBe(
    `${full}. We do not know yet whether the card signed this sale. Repeat it with the same RequestId.`,
  );
});

it.each([
  ["EROFS", "The data folder cannot be written (/data)"],
  ["SQLITE_READONLY", "The data folder cannot be written (/data)"],
  ["EIO", "The disk failed (/data)"],
  ["ENOSPC", "The disk is full (/data). Free some space; the sale was not signed."],
])("a data folder that cannot be written is named for %s", (code, words) => {
  const health = new StoreHealth("/data", async () => undefined);
  const error = health.note(Object.assign(new Error("why"), { code }));
  expect(error).toBeInstanceOf(LedgerError);
  const details = storeRefusal(error as LedgerError, "not-signed", true).message;
  expect(details).toContain(words);
  expect(details).toMatch(/; the sale was not signed\.$/);
});

it("a data folder that cannot be written is reported until a write succeeds, and other errors are not", async () => {
  let writable = false;
  const health = new StoreHealth("/data", async () => {
    if (!writable) throw Object.assign(new Error("read-only"), { code: "EROFS" });
  });
  expect(health.note(new TypeError("x"))).toBeInstanceOf(TypeError);
  expect(await health.problem()).toBeUndefined();
  health.note(Object.assign(new Error("full"), { code: "SQLITE_FULL" }));
  expect(await health.problem()).toEqual({ fault: "read-only", folder: "/data" });
  writable = true;
  expect(await health.problem()).toBeUndefined();
});

it("a data folder that cannot be written is reported at once during the retries, of which only one runs at a time", async () => {
  let tries = 0;
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const health = new StoreHealth("/data", () => {
    tries++;
    return held;
  });
  health.note(Object.assign(new Error("held"), { code: "SQLITE_BUSY" }));
  const busy = { fault: "busy", folder: "/data" };
  expect(await Promise.all([health.problem(), health.problem()])).toEqual([busy, busy]);
  expect([await health.problem(), tries]).toEqual([busy, 1]);
  letGo();
  expect(await health.problem()).toBeUndefined();
});

it("a store whose open sales cannot be read stops the till in status, with its folder", async () => {
  const { codes, findings } = await open();
  const doubts = vi.spyOn(SqliteLedger.prototype, "openIntents").mockRejectedValue(new Error("disk I/O error"));
  onTestFinished(() => doubts.mockRestore());
  expect(await codes()).toEqual(REFUSES);
  expect(await findings()).toEqual(["storeDamaged"]);
});
