/** Faults at each place where they can strike. */

import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import {
  FAULT_KINDS,
  FAULT_PLACES,
  type Fault,
  type FaultKind,
  type FaultKindRule,
  type FaultPlace,
  type Operation,
} from "../../emulator/faults/fault.js";
import { FAULT_SCHEMA } from "../../emulator/faults/fault-schema.js";
import { interceptWith } from "../../emulator/faults/faulty-exchange.js";
import { faultyLedger } from "../../emulator/faults/faulty-ledger.js";
import type { World } from "../../emulator/world/world.js";
import { systemClock } from "../../src/base/clock.js";
import { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import type { Change } from "../../src/ledger/ledger.js";
import { compileSchema, explainErrors } from "../../src/schema/validator.js";
import { INS } from "../../src/secure-element/apdu/instructions.js";
import { completion, newIntent, UID } from "../contract/ledger.contract.js";
import { openedWorld } from "../support/control.js";
import { makeCard } from "../support/emulated-card.js";
import { newLedger } from "../support/ledgers.js";
import { untilEndMeansGivingUp } from "../support/raw.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";
import { standingTimes } from "../support/times.js";

const validate = compileSchema<Fault>(FAULT_SCHEMA);
const KINDS = Object.entries(FAULT_KINDS) as [FaultKind, FaultKindRule][];

/** A valid fault of this kind at this place. */
function faultOf(on: string, kind: FaultKind): Fault {
  const fields: Partial<Record<FaultKind, Partial<Fault>>> = {
    latency: { duration: "7s" },
    trickle: { duration: "7s" },
    clockJump: { duration: "-7s" },
    statusWord: { statusWord: "6A88" },
    staleStatusWord: { statusWord: "6A88" },
    bitFlip: { bit: 1 },
  };
  return { on: on as Operation, kind, ...fields[kind] };
}

const placeOf = (on: string) =>
  (Object.keys(FAULT_PLACES) as FaultPlace[]).find((place) =>
    (FAULT_PLACES[place].names as readonly string[]).includes(on),
  ) ?? "card";
const failure = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The result of an exchange with the card, or of connecting to it. */
async function atTheReader(on: string, fault?: Fault): Promise<unknown> {
  const times = standingTimes();
  const traffic = new TrafficLog(() => times.clock, systemClock);
  const reader: EmulatedReader = new EmulatedReader(
    interceptWith(
      traffic,
      () => undefined,
      () => ({ ...times, reader }),
    ),
  );
  reader.insert(makeCard());
  if (fault) times.faults.add(fault);
  const instruction = new Map<string, number>(Object.entries(INS)).get(on) ?? INS.version;
  const answer = await reader
    .connect()
    .then((channel) => channel.transmit(Uint8Array.of(0x88, instruction, 0x04, 0x00)))
    .then((bytes) => Buffer.from(bytes).toString("hex"), failure);
  return { answer, slot: reader.slot, now: times.clock.now() };
}

/** The result of a commit. */
async function atTheLedger(on: string, fault?: Fault): Promise<unknown> {
  const times = standingTimes();
  const ledger = faultyLedger(newLedger(), times, "/data", () => undefined);
  await ledger.commit([newIntent("order-1")]);
  if (fault) times.faults.add(fault);
  const report = { uid: UID, kind: "lost", from: 1, to: null, at: 1, requestId: null } as const;
  const changes: Readonly<Record<string, Change>> = {
    storeIntent: newIntent("order-2"),
    storeAnswer: { kind: "complete", id: 1, completion: completion(1) },
    storeOutcome: { kind: "abandon", id: 1 },
    storeCard: { kind: "card", uid: UID, lastCounter: 1, counting: [] },
    storeReport: { kind: "report", report },
  };
  const change = changes[on];
  if (!change) throw new Error(`no change for ${on}`);
  return { committed: await ledger.commit([change]).catch(failure), now: times.clock.now() };
}

/** What the POS gets, and in how many pieces. */
async function atTheTill(fault?: Fault): Promise<unknown> {
  const clock = { at: "2026-03-01T12:00:00Z", ticking: false };
  const world = await openedWorld({ card: { pinVerified: true }, clock, faults: fault ? [fault] : [] });
  const answer = await callService(world.url, "POST", "/api/v3/invoices", {
    headers: JSON_HEADERS,
    body: sale(),
  }).catch(failure);
  const got = typeof answer === "string" ? answer : answer.status;
  return { got, signed: world.card?.memory.load().totalCounter, now: world.clock.now() };
}

function observed(on: string, fault?: Fault): Promise<unknown> {
  const place = placeOf(on);
  if (place === "store") return atTheLedger(on, fault);
  return place === "answer" ? atTheTill(fault) : atTheReader(on, fault);
}

const ALL = [...Object.values(FAULT_PLACES).flatMap(({ names }): readonly string[] => names), "ins:09"];

describe.each(KINDS)("%s", (kind, { strikes }) => {
  it.each(ALL.filter((on) => strikes.includes(placeOf(on))))("a fault on %s is accepted, with effect", async (on) => {
    const fault = faultOf(on, kind);
    expect(validate(fault)).toBe(true);
    expect(await observed(on, fault)).not.toEqual(await observed(on));
  });

  it.each(ALL.filter((on) => !strikes.includes(placeOf(on))))("a fault on %s is refused with an explanation", (on) => {
    expect(validate(faultOf(on, kind))).toBe(false);
    expect(explainErrors(validate.errors)).toEqual([
      expect.stringMatching(new RegExp(`^on: ${kind} has no effect here; it strikes on .`)),
    ]);
  });
});

it.each([
  [{ on: "sign", kind: "garbage", duration: "5s" }, "duration: garbage has no duration"],
  [{ on: "sign", kind: "bitFlip" }, "bit is missing"],
  [{ on: "sign", kind: "garbage", bit: 5 }, "bit: garbage has no bit"],
  [{ on: "sign", kind: "clockJump", duration: "5s", upTo: "9s" }, "upTo: clockJump has no upTo"],
  [{ on: "sign", kind: "latency", statusWord: "6305" }, "statusWord: latency has no statusWord"],
  [{ on: "sign", kind: "latency", upTo: "9s" }, "the fault must have property duration when property upTo is present"],
  [{ on: "sign", kind: "latency", duration: "-1s" }, "duration: must not be negative"],
  [{ on: "answer", kind: "latency" }, "duration is missing"],
  [{ on: "answer", kind: "trickle" }, "duration is missing"],
  [{ on: "sign", kind: "delay" }, expect.stringContaining("kind must be one of latency, ")],
])("the control interface refuses a fault with a field that has no effect: %j", (fault, problem) => {
  expect(validate(fault)).toBe(false);
  expect(explainErrors(validate.errors, "the fault")).toEqual([problem]);
});

const report = { uid: UID, kind: "lost", from: 1, to: null, at: 1, requestId: null } as const;

async function begun() {
  const times = standingTimes();
  const { faults } = times;
  const ledger = faultyLedger(newLedger(), times, "/data", () => undefined);
  const [id = 0] = await ledger.commit([newIntent("order-1"), { kind: "report", report }]);
  return { faults, ledger, id };
}

it.each([
  ["storeIntent", newIntent("order-2")],
  ["storeAnswer", { kind: "complete", id: 1, completion: completion(1) }],
  ["storeOutcome", { kind: "abandon", id: 1 }],
  ["storeOutcome", { kind: "lose", id: 1, totalCounter: null }],
  ["storeOutcome", { kind: "unproven", id: 1, completion: completion(1) }],
  ["storeOutcome", { kind: "adopt", receipt: { uid: UID, ...completion(1) } }],
  ["storeCard", { kind: "card", uid: UID, lastCounter: 1, counting: [] }],
  ["storeReport", { kind: "report", report }],
  ["storeReport", { kind: "confirm", id: 1, at: 2 }],
] as const)("a fault on %s fails a commit with %o once, and writes nothing of it", async (on, change) => {
  const { faults, ledger } = await begun();
  faults.add({ on, kind: "diskFull", nth: 1 });
  const commit = [newIntent("order-3"), change] as const;
  await expect(ledger.commit(commit)).rejects.toMatchObject({
    fault: "full",
    message: expect.stringContaining("/data"),
  });
  expect([await ledger.byRequestId("order-3"), (await ledger.openIntents()).length]).toEqual([undefined, 1]);
  await ledger.commit(commit);
  expect(await ledger.byRequestId("order-3")).toBeDefined();
});

it.each([
  ["diskFull", "full"],
  ["diskReadOnly", "read-only"],
  ["diskError", "io"],
] as const)("%s raises the ledger's fault %s", async (kind, fault) => {
  const { faults, ledger, id } = await begun();
  faults.add({ on: "storeAnswer", kind });
  const complete = { kind: "complete", id, completion: completion(1) } as const;
  await expect(ledger.commit([complete])).rejects.toMatchObject({ name: "LedgerError", fault });
});

const headers = { ...JSON_HEADERS, RequestId: "order-1" };

async function open(fault: Omit<Fault, "on" | "nth">, realTime = true): Promise<World> {
  const faults = [{ on: "answer", nth: 1, ...fault } as const];
  return openedWorld({ card: { pinVerified: true }, clock: { realTime }, faults });
}

const sell = (world: World) => callService(world.url, "POST", "/api/v3/invoices", { headers, body: sale() });
const find = (world: World) => callService(world.url, "GET", "/api/v3/invoices/order-1");

/** The bytes received once `enough` accepts them, or once the connection breaks. */
function bytesOf(world: World, enough: (bytes: Buffer) => boolean) {
  return new Promise<{ promised: number; bytes: Buffer; broke: boolean }>((resolve) => {
    const sent = request(`${world.url}/api/v3/invoices`, { method: "POST", headers, agent: false }, (response) => {
      let bytes = Buffer.alloc(0);
      const promised = Number(response.headers["content-length"]);
      response.on("data", (chunk: Buffer) => {
        bytes = Buffer.concat([bytes, chunk]);
        if (!enough(bytes)) return;
        resolve({ promised, bytes, broke: false });
        void untilEndMeansGivingUp().then(() => sent.destroy());
      });
      response.on("error", () => resolve({ promised, bytes, broke: true }));
    });
    sent.on("error", () => undefined);
    sent.end(JSON.stringify(sale()));
  });
}

it("a POS that gives up on a late answer finds the sale when it asks again", async () => {
  const world = await open({ kind: "latency", duration: "1h" });
  const impatience = new AbortController();
  const answer = fetch(`${world.url}/api/v3/invoices`, {
    method: "POST",
    headers,
    body: JSON.stringify(sale()),
    signal: impatience.signal,
  });
  await expect.poll(() => world.faults.list[0]?.struck).toBe(1);
  await untilEndMeansGivingUp();
  impatience.abort();
  await expect(answer).rejects.toThrow(/abort/i);
  expect((await find(world)).json()).toMatchObject({ totalCounter: 1 });
  const lost = { status: 0, answer: expect.stringContaining('"totalCounter":1') };
  await expect.poll(() => world.traffic.entries[0]).toMatchObject(lost);
});

it("a stopping service sends the answers that a fault holds back at once", async () => {
  const world = await open({ kind: "latency", duration: "1h" });
  const answer = sell(world);
  await expect.poll(() => world.faults.list[0]?.struck).toBe(1);
  await world.restart("clean");
  expect((await answer).json()).toMatchObject({ totalCounter: 1 });
}, 15_000);

it("a trickling answer arrives piece by piece", async () => {
  const world = await open({ kind: "trickle", duration: "1h" });
  const { promised, bytes, broke } = await bytesOf(world, () => true);
  expect(broke).toBe(false);
  expect(bytes.length).toBeGreaterThan(0);
  expect(bytes.length).toBeLessThan(promised);
  await expect.poll(() => world.traffic.entries[0]).toMatchObject({ status: 0, answer: expect.stringContaining("{") });
});

it("a trickling answer is complete in the end", async () => {
  const world = await open({ kind: "trickle", duration: "1h" }, false);
  expect((await sell(world)).text).toBe((await find(world)).text);
  expect(world.traffic.entries[0]).toMatchObject({ status: 200 });
});

it("a cut-off answer promises more bytes than it sends, and the sale is not lost", async () => {
  const world = await open({ kind: "short" });
  const { promised, bytes, broke } = await bytesOf(world, () => false);
  expect(broke).toBe(true);
  expect(bytes.length).toBeGreaterThan(0);
  expect(bytes.length).toBeLessThan(promised);
  expect(world.traffic.entries[0]).toMatchObject({ status: 0, answer: expect.stringContaining('"totalCounter":1') });
  expect((await find(world)).json()).toMatchObject({ totalCounter: 1 });
});

it.each(["/API/V3/Invoices/", "/api/v3/test-invoice"])("the fault also affects a sale at %s", async (path) => {
  const world = await open({ kind: "connectionDropped" });
  await expect(callService(world.url, "POST", path, { headers, body: sale() })).rejects.toThrow();
});

it("the fault does not affect other requests", async () => {
  const world = await open({ kind: "connectionDropped" });
  for (const path of ["status", "invoices/order-1"]) await callService(world.url, "GET", `/api/v3/${path}`);
  await callService(world.url, "POST", "/api/v3/pin", { body: "1234" });
  expect(world.faults.list).toMatchObject([{ seen: 0, struck: 0 }]);
});
