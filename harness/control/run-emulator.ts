/** Runs the emulator of `tillseal/testkit` inside the process of a test. */

import type { Fault } from "../../emulator/faults/fault.js";
import { PatchError } from "../../emulator/tax-authority/endpoint/errors.js";
import { isDone, outcomeText } from "../../emulator/world/authority-actions.js";
import { cardRecord, patchCard } from "../../emulator/world/card-bench.js";
import type { CardPatch, CardRecord } from "../../emulator/world/card-types.js";
import { withBase } from "../../emulator/world/given.js";
import { readGiven } from "../../emulator/world/given-file.js";
import { World } from "../../emulator/world/world.js";
import { durationOf } from "../../src/base/duration.js";
import { logOf } from "../../src/config/log.js";
import { parseTime, toIso } from "../../src/fiscal/time.js";
import { findRequests, NotSentError, waitForRequest } from "../scenario/find-requests.js";
import type { RequestFilter, SentRequest, Wait } from "../scenario/request-types.js";
import { ControlServer } from "./control-server.js";
import {
  checkedFault,
  checkedFilter,
  checkedGiven,
  checkedOptions,
  checkedPatch,
  checkedVsdc,
} from "./testkit-checks.js";
import type { Emulator, EmulatorOptions, TestCard, TestClock, TestOnlineService } from "./testkit-types.js";

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
    return new RunningEmulator(world, control, scenario);
  } catch (error) {
    await world.close();
    throw error;
  }
}

class RunningEmulator implements Emulator {
  readonly card: TestCard;
  readonly clock: TestClock;

  constructor(
    private readonly world: World,
    private readonly control: ControlServer,
    private readonly scenario: string | undefined,
  ) {
    this.card = new EmulatedTestCard(world);
    this.clock = new EmulatedTestClock(world);
  }

  get url(): string {
    return this.world.url;
  }

  get controlUrl(): string {
    return this.control.url;
  }

  async onlineService(): Promise<TestOnlineService> {
    const { pac, certificate, key, ca } = this.world.onlineAccess();
    const url = this.world.vsdc?.url ?? "";
    return {
      url,
      pac,
      certificate,
      key,
      ca,
      fault: (faults) => this.world.requireVsdc().setFaults(checkedVsdc(faults)),
    };
  }

  fault(fault: Fault): void {
    this.world.faults.add(checkedFault(fault));
  }

  clearFaults(): void {
    this.world.faults.clear();
  }

  requests(where: RequestFilter = {}): SentRequest[] {
    return findRequests(this.world.traffic, checkedFilter(where));
  }

  signed(where: RequestFilter = {}): SentRequest[] {
    return this.requests({ ...where, signed: true });
  }

  async waitForRequest(where: RequestFilter, wait: Wait = {}): Promise<SentRequest> {
    return waitForRequest(this.world.traffic, checkedFilter(where), wait).catch((error: unknown) => {
      if (!(error instanceof NotSentError)) throw error;
      throw new Error([error.message, ...error.came].join("\n"));
    });
  }

  async unmet(): Promise<string[]> {
    // Loaded on demand: compiling the schema of scenarios takes longer than a start.
    const { unmetOf } = await import("../scenario/unmet-of.js");
    return unmetOf(this.scenario, this.requests());
  }

  reset(): Promise<void> {
    return this.world.reset();
  }

  async close(): Promise<void> {
    await this.control.close();
    await this.world.close();
  }
}

class EmulatedTestCard implements TestCard {
  constructor(private readonly world: World) {}

  get pin(): string {
    return this.world.cards.named(this.world.cards.current).profile.pin;
  }

  get state(): CardRecord {
    return cardRecord(this.world);
  }

  insert(): Promise<void> {
    return this.world.insert();
  }

  remove(): void {
    this.world.reader.remove();
  }

  swap(name: string): Promise<void> {
    return this.world.insert(name);
  }

  reset(): void {
    this.world.reader.reset();
  }

  async patch(patch: CardPatch): Promise<void> {
    await patchCard(this.world, checkedPatch(patch)).catch((error: unknown) => {
      if (!(error instanceof PatchError)) throw error;
      throw new Error([`card.patch: ${error.message}`, ...error.details].join("; "));
    });
  }

  async audit(): Promise<void> {
    const { kind: outcome } = await this.world.audits.audit();
    if (!isDone(outcome)) throw new Error(`the card was not audited: ${outcomeText(outcome)}`);
  }
}

/** The time of service and card. */
class EmulatedTestClock implements TestClock {
  constructor(private readonly world: World) {}

  get now(): string {
    return toIso(this.world.clock.now());
  }

  set(time: string): void {
    this.world.clock.set(msOf(time));
  }

  advance(duration: string): void {
    this.world.clock.advance(durationOf(duration));
  }

  freeze(at?: string): void {
    const ms = at === undefined ? undefined : msOf(at);
    this.world.clock.freeze();
    if (ms !== undefined) this.world.clock.set(ms);
  }

  tick(): void {
    this.world.clock.tick();
  }
}

/** @throws RangeError */
function msOf(time: string): number {
  const ms = parseTime(time);
  if (ms !== undefined) return ms;
  throw new RangeError(`${time} is not a time; expected ISO 8601, such as 2026-01-31T12:00:00Z`);
}
