/** Runs the emulator of `tillseal/testkit` inside the process of a test. */

import { withBase } from "../../emulator/world/given.js";
import { readGiven } from "../../emulator/world/given-file.js";
import type { WorldStep } from "../../emulator/world/step-types.js";
import type { World } from "../../emulator/world/world.js";
import { parseTime } from "../../src/fiscal/time.js";
import { CallError } from "../../src/http/call-errors.js";
import { findRequests, NotSentError, waitForRequest } from "../scenario/find-requests.js";
import type { RequestFilter, SentRequest } from "../scenario/request-types.js";
import { beginScenario } from "../scenario/situations.js";
import { openEmulator } from "./control-server.js";
import {
  checkedAction,
  checkedFault,
  checkedFilter,
  checkedGiven,
  checkedOptions,
  checkedPatch,
  checkedVsdc,
} from "./testkit-checks.js";
import type { Emulator, EmulatorOptions, TestCard, TestClock } from "./testkit-types.js";

/** @throws Error that names every wrong field of the options, the scenario or `given` */
export async function runEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { scenario, given = {}, seed, clock } = checkedOptions(options);
  const base = scenario === undefined ? {} : readGiven(scenario);
  const own = checkedGiven({ ...given, ...(seed === undefined ? {} : { seed }) });
  const clocks = { ...base.clock, ...own.clock, ...clock };
  const whole = { ...withBase(base, own), ...(Object.keys(clocks).length === 0 ? {} : { clock: clocks }) };
  const emulator = await openEmulator(checkedGiven(whole));
  try {
    if (scenario !== undefined) await beginScenario(emulator.situations, scenario);
    return emulatorOf(emulator, scenario);
  } catch (error) {
    await emulator.close();
    throw error;
  }
}

function emulatorOf(
  { world, control, close }: Awaited<ReturnType<typeof openEmulator>>,
  scenario: string | undefined,
): Emulator {
  const requests = (where: RequestFilter = {}): SentRequest[] => findRequests(world.traffic, checkedFilter(where));
  return {
    card: cardOf(world),
    clock: clockOf(world),
    get url() {
      return world.url;
    },
    controlUrl: control.url,
    onlineService: async () => {
      const { url, pac, certificate, key, ca } = world.look("vsdc");
      return {
        url,
        pac,
        certificate,
        key,
        ca,
        fault: (faults) => now(world, "onlineService.fault", { vsdc: checkedVsdc(faults) }),
      };
    },
    service: {
      restart: () => soon(world, "service.restart", { service: "restart" }),
      kill: () => soon(world, "service.kill", { service: "kill" }),
    },
    authority: { do: async (action) => soon(world, "authority.do", { authority: checkedAction(action) }) },
    snapshots: {
      take: (name) => world.snapshots.take(name),
      restore: async (name) =>
        world.snapshots.restore(name).catch((error: unknown) => plainly("snapshots.restore", error)),
    },
    fault: (fault) => now(world, "fault", { faults: [checkedFault(fault)] }),
    clearFaults: () => now(world, "clearFaults", { faults: "clear" }),
    requests,
    signed: (where = {}) => requests({ ...where, signed: true }),
    waitForRequest: async (where, wait = {}) =>
      waitForRequest(world.traffic, checkedFilter(where), wait).catch((error: unknown) => {
        if (!(error instanceof NotSentError)) throw error;
        throw new Error([error.message, ...error.came].join("\n"));
      }),
    unmet: async () => {
      // Loaded on demand: compiling the schema of scenarios takes longer than a start.
      const { unmetOf } = await import("../scenario/judge.js");
      return unmetOf(scenario, requests());
    },
    reset: () => world.begin(world.given),
    close,
  };
}

/** A CallError has details for a record of the control interface. A test reads only the message. */
function plainly(subject: string, error: unknown): never {
  if (error instanceof CallError) throw new Error(`${subject}: ${[error.message, ...error.details].join("; ")}`);
  throw error;
}

function now(world: World, subject: string, step: WorldStep): void {
  try {
    void world.do(step);
  } catch (error) {
    plainly(subject, error);
  }
}

async function soon(world: World, subject: string, step: WorldStep): Promise<void> {
  try {
    await world.do(step);
  } catch (error) {
    plainly(subject, error);
  }
}

function cardOf(world: World): TestCard {
  return {
    get pin() {
      return world.cards.named(world.cards.current).profile.pin;
    },
    get state() {
      return world.look("card");
    },
    insert: () => soon(world, "card.insert", { card: "insert" }),
    remove: () => now(world, "card.remove", { card: "remove" }),
    swap: (name) => soon(world, "card.swap", { card: { swap: name } }),
    reset: () => now(world, "card.reset", { card: "reset" }),
    unplug: () => now(world, "card.unplug", { card: "unplug" }),
    plug: () => soon(world, "card.plug", { card: "plug" }),
    patch: async (patch) => soon(world, "card.patch", { card: { patch: checkedPatch(patch) } }),
    audit: () => soon(world, "card.audit", { authority: "audit" }),
  };
}

function clockOf(world: World): TestClock {
  return {
    get now() {
      return world.look("clock").at;
    },
    set: (at) => now(world, "clock.set", { clock: { at: checkedTime(at) } }),
    advance: (duration) => now(world, "clock.advance", { clock: { advance: duration } }),
    freeze: (at) =>
      now(world, "clock.freeze", { clock: { ticking: false, ...(at === undefined ? {} : { at: checkedTime(at) }) } }),
    tick: () => now(world, "clock.tick", { clock: { ticking: true } }),
  };
}

/** @throws RangeError if the text is not a time */
function checkedTime(time: string): string {
  if (parseTime(time) !== undefined) return time;
  throw new RangeError(`${time} is not a time; expected ISO 8601, such as 2026-01-31T12:00:00Z`);
}
