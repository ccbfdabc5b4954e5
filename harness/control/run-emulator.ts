/** Runs the emulator of `tillseal/testkit` inside the process of a test. */

import { ControlError } from "../../emulator/tax-authority/endpoint/errors.js";
import { cardRecord, patchCard } from "../../emulator/world/card-bench.js";
import { withBase } from "../../emulator/world/given.js";
import { readGiven } from "../../emulator/world/given-file.js";
import { World } from "../../emulator/world/world.js";
import { durationOf } from "../../src/base/duration.js";
import { logOf } from "../../src/config/log.js";
import { parseTime, toIso } from "../../src/fiscal/time.js";
import { findRequests, NotSentError, waitForRequest } from "../scenario/find-requests.js";
import type { RequestFilter, SentRequest } from "../scenario/request-types.js";
import { ControlServer } from "./control-server.js";
import {
  checkedFault,
  checkedFilter,
  checkedGiven,
  checkedOptions,
  checkedPatch,
  checkedVsdc,
} from "./testkit-checks.js";
import type { Emulator, EmulatorOptions, TestCard, TestClock } from "./testkit-types.js";

const LOOPBACK = { port: 0, host: "127.0.0.1", allowedHosts: [], allowedOrigins: [] } as const;

/** @throws Error that names every wrong field of the options, the scenario or `given` */
export async function runEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { scenario, given = {}, seed, clock } = checkedOptions(options);
  const base = scenario === undefined ? {} : readGiven(scenario);
  const own = checkedGiven({ ...given, ...(seed === undefined ? {} : { seed }) });
  const clocks = { ...base.clock, ...own.clock, ...clock };
  const whole = { ...withBase(base, own), ...(Object.keys(clocks).length === 0 ? {} : { clock: clocks }) };
  const world = await World.open(checkedGiven(whole));
  try {
    const control = await ControlServer.open(world, { ...LOOPBACK, log: logOf({ logLevel: "silent" }) });
    return emulatorOf(world, control, scenario);
  } catch (error) {
    await world.close();
    throw error;
  }
}

function emulatorOf(world: World, control: ControlServer, scenario: string | undefined): Emulator {
  const requests = (where: RequestFilter = {}): SentRequest[] => findRequests(world.traffic, checkedFilter(where));
  return {
    card: cardOf(world),
    clock: clockOf(world),
    get url() {
      return world.url;
    },
    controlUrl: control.url,
    onlineService: async () => {
      const { pac, certificate, key, ca } = world.onlineAccess();
      const { url } = world.requireVsdc();
      return { url, pac, certificate, key, ca, fault: (faults) => world.requireVsdc().setFaults(checkedVsdc(faults)) };
    },
    fault: (fault) => void world.faults.add(checkedFault(fault)),
    clearFaults: () => world.faults.clear(),
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
    reset: () => world.reset(),
    close: async () => {
      await control.close();
      await world.close();
    },
  };
}

function cardOf(world: World): TestCard {
  return {
    get pin() {
      return world.cards.named(world.cards.current).profile.pin;
    },
    get state() {
      return cardRecord(world);
    },
    insert: () => world.insert(),
    remove: () => world.reader.remove(),
    swap: async (name) => world.insert(name),
    reset: () => world.reader.reset(),
    patch: async (patch) =>
      patchCard(world, checkedPatch(patch)).catch((error: unknown) => {
        if (!(error instanceof ControlError)) throw error;
        throw new Error([`card.patch: ${error.message}`, ...error.details].join("; "));
      }),
    audit: async () => void (await world.do({ authority: "audit" })),
  };
}

function clockOf(world: World): TestClock {
  return {
    get now() {
      return toIso(world.clock.now());
    },
    set: (time) => world.clock.set(msOf(time)),
    advance: (duration) => world.clock.advance(durationOf(duration)),
    freeze: (at) => {
      const ms = at === undefined ? undefined : msOf(at);
      world.clock.freeze();
      if (ms !== undefined) world.clock.set(ms);
    },
    tick: () => world.clock.tick(),
  };
}

/** @throws RangeError */
function msOf(time: string): number {
  const ms = parseTime(time);
  if (ms !== undefined) return ms;
  throw new RangeError(`${time} is not a time; expected ISO 8601, such as 2026-01-31T12:00:00Z`);
}
