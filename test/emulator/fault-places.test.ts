/** Each kind of fault at each place either has an observable effect or is refused by the schema with an explanation. */
import { describe, expect, it, onTestFinished } from "vitest";
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
import { World } from "../../emulator/world/world.js";
import { systemClock } from "../../src/base/clock.js";
import { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import type { Change } from "../../src/ledger/ledger.js";
import { compileSchema, explainErrors } from "../../src/schema/validator.js";
import { INS } from "../../src/secure-element/apdu/instructions.js";
import { completion, newIntent, UID } from "../contract/ledger.contract.js";
import { makeCard } from "../support/emulated-card.js";
import { newLedger } from "../support/ledgers.js";
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
  const instruction = INS[INSTRUCTIONS[on] ?? "VERSION"];
  const answer = await reader
    .connect()
    .then((channel) => channel.transmit(Uint8Array.of(0x88, instruction, 0x04, 0x00)))
    .then((bytes) => Buffer.from(bytes).toString("hex"), failure);
  return { answer, slot: reader.slot, now: times.clock.now() };
}

const INSTRUCTIONS: Readonly<Record<string, keyof typeof INS>> = {
  select: "SELECT",
  certificate: "EXPORT_CERTIFICATE",
  taxAuthorityKey: "EXPORT_TAX_AUTHORITY_KEY",
  version: "VERSION",
  verifyPin: "VERIFY_PIN",
  exportInternalData: "EXPORT_INTERNAL_DATA",
  sign: "SIGN_INVOICE",
  amountStatus: "AMOUNT_STATUS",
  lastSigned: "LAST_SIGNED_INVOICE",
  pinTriesLeft: "PIN_TRIES_LEFT",
  endAudit: "END_AUDIT",
  startAudit: "START_AUDIT",
  directive: "DIRECTIVE",
  "ins:09": "VERSION",
};

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
  const world = await World.open({ card: { pinVerified: true }, clock, faults: fault ? [fault] : [] });
  onTestFinished(() => world.close());
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
  it.each(ALL.filter((on) => strikes.includes(placeOf(on))))("on %s is accepted and has an effect", async (on) => {
    const fault = faultOf(on, kind);
    expect(validate(fault)).toBe(true);
    expect(await observed(on, fault)).not.toEqual(await observed(on));
  });

  it.each(ALL.filter((on) => !strikes.includes(placeOf(on))))("on %s is refused with an explanation", (on) => {
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
