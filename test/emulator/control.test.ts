/** The control interface as a POS sees it: clock, world, service and traffic. Tests of the card are in control-card.test.ts. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../src/base/clock.js";
import { openControlled } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";
import { callService } from "../support/till.js";

const OTHER_CARDS = { other: { uid: "OTHERONE", taxpayer: { tin: "RS2" } } };
const VERIFIED = { pinVerified: true };

it("the clock is set, moved and frozen, and receipts carry its time", async () => {
  const { control, sell } = await openControlled();
  const at = "2026-03-01T10:00:00.000Z";
  expect((await control("POST", "/do", { clock: { at, ticking: false } })).json()).toEqual({ at, ticking: false });
  expect(await sell()).toMatchObject({ sdcDateTime: "2026-03-01T11:00:00.000+01:00" });
  await control("POST", "/do", { clock: { advance: "-1h" } });
  expect(await sell()).toMatchObject({ sdcDateTime: "2026-03-01T10:00:00.000+01:00" });
  expect((await control("POST", "/do", { clock: { ticking: true } })).json()).toMatchObject({ ticking: true });
  expect((await control("GET", "/clock")).json().at).toMatch(/^2026-03-01T09:/);
});

it("the clock stops at the exact time that it was set to, however long the call takes", async () => {
  const { control } = await openControlled();
  let ms = Date.now();
  const system = vi.spyOn(systemClock, "now").mockImplementation(() => ++ms);
  onTestFinished(() => system.mockRestore());
  const at = "2026-03-01T10:00:00.000Z";
  expect((await control("POST", "/do", { clock: { at, ticking: false } })).json()).toEqual({ at, ticking: false });
});

it.each([{ advance: "-2932897d" }, { at: "1969-12-31T23:59:59Z" }, { at: "9999-12-31T23:59:59Z", advance: "1s" }])(
  "the clock stays within the times that a card can sign: %j",
  async (patch) => {
    const { control, saleCode } = await openControlled();
    expect((await control("POST", "/do", { clock: patch })).status).toBe(400);
    expect(await saleCode()).toBe("");
  },
);

it.each(["999999999d", "-999999999d"])("the clock jumps by %s without a failure for the POS", async (duration) => {
  const { control, saleCode, status } = await openControlled({
    card: VERIFIED,
    faults: [{ on: "sign", kind: "clockJump", duration }],
  });
  await saleCode();
  expect((await status()).gsc).toContain("0100");
  expect(await saleCode()).toMatch(/^(2400|2809)$/);
  expect((await control("GET", "/clock")).status).toBe(200);
});

it("the world is reset to its start", async () => {
  const { control, sell, saleCode } = await openControlled();
  await sell("order-1");
  await control("POST", "/do", { card: "remove" });
  await control("POST", "/do", { faults: [{ on: "sign", kind: "removedBefore" }] });
  await control("POST", "/do", { clock: { at: "2030-01-01T00:00:00Z" } });
  await control("POST", "/reset");
  expect((await control("GET", "/faults")).json()).toEqual([]);
  expect((await control("GET", "/traffic")).json()).toEqual([]);
  expect((await control("GET", "/clock")).json().at).not.toMatch(/^2030/);
  expect(await sell("order-1")).toMatchObject({ totalCounter: 1 });
  expect(await saleCode()).toBe("");
});

it("the world is restored from a snapshot with card, PIN session, clock and counts of faults", async () => {
  const { control, sell, saleCode, world } = await openControlled({ card: VERIFIED, otherCards: OTHER_CARDS });
  const { url } = world;
  const first = await sell("order-1");
  await control("POST", "/do", { card: { patch: { pinTriesLeft: 3 } } });
  await control("POST", "/do", { clock: { at: "2026-03-01T10:00:00Z", ticking: false } });
  await control("POST", "/do", { faults: [{ on: "connect", kind: "readerLost" }] });
  await control("POST", "/do", { faults: [{ on: "sign", nth: 2, kind: "statusWord", statusWord: "6305" }] });
  expect(await saleCode()).toBe("");
  await control("PUT", "/snapshots/before-the-limit");
  expect((await control("GET", "/snapshots")).json()).toEqual(["before-the-limit"]);
  expect(await saleCode()).toBe("2210");
  await control("POST", "/given", { card: { uid: "THIRDONE" } });
  expect(await saleCode()).toBe("1500");
  await control("POST", "/snapshots/before-the-limit/restore");
  expect((await control("GET", "/card")).json()).toMatchObject({ pinTriesLeft: 3, counters: { total: 2 } });
  expect(world.url).toBe(url);
  expect(await sell("order-1")).toEqual(first);
  expect(await saleCode()).toBe("2210");
  expect(await sell()).toMatchObject({ totalCounter: 3, sdcDateTime: "2026-03-01T11:00:00.000+01:00" });
  expect((await control("POST", "/snapshots/never/restore")).status).toBe(404);
});

it("the world remembers a removed card and an unplugged reader", async () => {
  const { control } = await openControlled();
  await control("POST", "/do", { card: "unplug" });
  await control("PUT", "/snapshots/unplugged");
  await control("POST", "/do", { card: "plug" });
  await control("POST", "/do", { card: "remove" });
  await control("PUT", "/snapshots/out");
  await control("POST", "/snapshots/unplugged/restore");
  expect((await control("GET", "/card")).json()).toMatchObject({ reader: "unplugged", inserted: true });
  await control("POST", "/snapshots/out/restore");
  expect((await control("GET", "/card")).json()).toMatchObject({ reader: "plugged", inserted: false });
});

it("the world starts from another scenario's given, and resets to that", async () => {
  const { control, saleCode, sell, pin } = await openControlled();
  const given = {
    card: { pinVerified: true, limit: "50", counters: { total: 7 } },
    clock: { at: "2026-03-01T10:00:00Z", ticking: false },
    faults: [{ on: "sign", nth: 1, kind: "statusWord", statusWord: "6305" }],
  };
  for (const restart of [() => control("POST", "/given", given), () => control("POST", "/reset")]) {
    await restart();
    expect(await saleCode()).toBe("2210");
    expect(await sell()).toMatchObject({ totalCounter: 8 });
  }
  await control("POST", "/given", { environment: "none", settings: { requestIdLength: 36 } });
  expect(await pin()).toBe("0100");
  expect(await saleCode()).toBe("2400");
});

it("the world stays unchanged when a given is impossible, and the refusal says the path in it", async () => {
  const { control, saleCode } = await openControlled({ authority: {}, card: { pinVerified: true } });
  const broken = { parameters: {} };
  const refusals = [
    ["/given", { environment: "atlantis" }, ["environment"]],
    ["/given", { environment: "../secrets" }, undefined],
    ["/given", { environment: broken }, ["environment", "taxRates"]],
    ["/given", { card: { key: "/nowhere/key.pem" } }, ["card", "key"]],
    ["/given", { card: { key: "/dev/zero" } }, ["card", "key"]],
    ["/given", { card: { key: join(import.meta.dirname, "control.test.ts") } }, ["card", "key"]],
    ["/given", { otherCards: { other: { validFrom: "yesterday" } } }, undefined],
    // A path in the environment would be none in the body.
    ["/do", { authority: { configure: broken } }, undefined],
  ] as const;
  for (const [path, body, place] of refusals) {
    const refusal = await control("POST", path, body);
    expect([refusal.status, refusal.json().path], JSON.stringify(body)).toEqual([400, place]);
  }
  expect(await saleCode()).toBe("");
});

it("the world handles simultaneous resets and restores one after the other", async () => {
  const { control, sell } = await openControlled();
  const answers = await Promise.all([
    control("POST", "/reset"),
    control("PUT", "/snapshots/one"),
    control("POST", "/given", { card: { pinVerified: true } }),
    control("POST", "/reset"),
    control("PUT", "/snapshots/two"),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204]);
  expect(await sell()).toMatchObject({ totalCounter: 1 });
});

it("the world empties its store at a reset, and leaves other files in the data folder", async () => {
  const dataDir = temporaryFolder();
  writeFileSync(join(dataDir, "notes.txt"), "mine");
  const { control, sell, world } = await openControlled({ card: VERIFIED }, { dataDir });
  await sell("order-1");
  const kept = "store.before-restore-20260101T000000Z";
  mkdirSync(join(dataDir, kept));
  await control("PUT", "/snapshots/one");
  await control("POST", "/reset");
  expect(await sell("order-2")).toMatchObject({ totalCounter: 1 });
  await control("POST", "/snapshots/one/restore");
  expect(await sell("order-2")).toMatchObject({ totalCounter: 2 });
  await world.close();
  expect(readdirSync(dataDir)).toEqual(expect.arrayContaining(["card", "notes.txt", "store", kept]));
});

it("the world never erases a store that was not written by an emulated card", async () => {
  const dataDir = join(temporaryFolder(), "shop");
  mkdirSync(join(dataDir, "store"), { recursive: true });
  writeFileSync(join(dataDir, "store/tillseal.db"), "");
  const { control } = await openControlled({ card: VERIFIED }, { dataDir });
  for (const [path, body] of [["/reset"], ["/given", {}]] as const) {
    const answer = await control("POST", path, body);
    expect([answer.status, answer.json().message]).toEqual([400, expect.stringContaining("nothing is erased")]);
  }
});

it("the traffic log lists each request with the APDUs that it caused, from an id on, until it is cleared", async () => {
  const { control, pin, sell } = await openControlled({});
  await pin();
  await sell();
  const entries = (await control("GET", "/traffic")).json<{ id: number; apdus: object[] }[]>();
  expect(entries).toMatchObject([
    {
      path: "/api/v3/pin",
      status: 200,
      answer: "0100",
      // After the first right PIN the card is compared with the ledger.
      apdus: [{ operation: "verifyPin", command: "8811040004****", result: "9000 done" }, { operation: "lastSigned" }],
    },
    { path: "/api/v3/invoices", status: 200, apdus: [{ operation: "sign" }] },
  ]);
  const since = (await control("GET", `/traffic?since=${entries[0]?.id}`)).json();
  expect(since).toMatchObject([{ path: "/api/v3/invoices" }]);
  await control("DELETE", "/traffic");
  expect((await control("GET", "/traffic")).json()).toEqual([]);
});

it("the traffic log drops its oldest entries before bodies fill the memory", async () => {
  const { world } = await openControlled();
  // Of a body that is no JSON, only the length is kept.
  const body = JSON.stringify({ cashier: "x".repeat(256 * 1024) });
  for (let i = 0; i < 280; i++) await callService(world.url, "POST", "/api/v3/invoices", { body });
  const { entries } = world.traffic;
  expect(entries.at(-1)?.id).toBe(280);
  expect(entries.length).toBeGreaterThan(200);
  expect(entries.length).toBeLessThan(260);
});

it("the traffic log never contains a PIN, however it was sent", async () => {
  const { control, pin } = await openControlled({ card: { pin: "4711" } });
  for (const body of ["4711", '"4711"', '{"pin":"4711"}', '{"pin":4711', '{"pin" 4711}', "x4711", "4711 "]) {
    await pin(body);
  }
  expect((await control("GET", "/traffic")).json()).toHaveLength(7);
  expect((await control("GET", "/traffic")).text).not.toMatch(/4711|04070101/);
  expect((await control("GET", "/card")).text).not.toContain("4711");
});
