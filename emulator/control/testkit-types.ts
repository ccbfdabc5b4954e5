/**
 * The types of the test kit. This file has only types, because they must compile in strict projects that do not have the types of
 * our libraries: no Express, no node-forge, no Node.
 */

import type { Fault } from "../faults/fault.js";
import type { RequestFilter, SentRequest, Wait } from "../scenario/request-types.js";
import type { VsdcFaults } from "../vsdc/vsdc-faults.js";
import type { CardPatch, CardRecord } from "../world/card-types.js";
import type { Given } from "../world/given.js";

export interface EmulatorOptions {
  /** The emulator starts from the `given` of this scenario: a file, or the name of a shipped one such as `pin/card-locked`. */
  readonly scenario?: string;
  /** Starting state. With `scenario`, it overrides parts of the scenario's `given`. */
  readonly given?: Given;
  /** Seed of all random values. */
  readonly seed?: string;
  /** The time at the start, and whether it ticks. */
  readonly clock?: { readonly at?: string; readonly ticking?: boolean };
}

/** One service on one emulated card. {@link createEmulator} makes it. */
export interface Emulator {
  readonly card: TestCard;
  readonly clock: TestClock;
  /** `http://127.0.0.1:41234`, where a POS posts to `/api/v3/...`. */
  readonly url: string;
  /** `http://127.0.0.1:41235`, where `/control/...` drives this emulator over HTTP. */
  readonly controlUrl: string;
  /** The authority's online service of `given.vsdc`. Rejects with an Error without one. */
  onlineService(): Promise<TestOnlineService>;
  /** Sets a fault from now on. @throws Error that names what is wrong with the fault itself */
  fault(fault: Fault): void;
  /** Takes all faults away. */
  clearFaults(): void;
  /**
   * The requests that the till has sent since the start or the last reset, oldest first. `where` selects requests by their fields:
   * values, parts of objects, or matchers of scenario files.
   */
  requests(where?: RequestFilter): SentRequest[];
  /** The requests for which an invoice was signed. Each invoice is there once, however often the till has repeated it. */
  signed(where?: RequestFilter): SentRequest[];
  /** Resolves with the n-th matching request once it is answered. Rejects after the time limit with an Error that lists the other requests. */
  waitForRequest(where: RequestFilter, wait?: Wait): Promise<SentRequest>;
  /**
   * Which expectations of the scenario's file the till has not met so far, each as a text with the nearest request and the difference.
   * Empty if the till has met all. Rejects with an Error if the scenario has no `expect`.
   */
  unmet(): Promise<string[]>;
  /** Goes back to the start: card, store, clock, faults, traffic. The addresses stay the same. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** The authority's online service (V-SDC), and what a POS needs to call it. */
export interface TestOnlineService {
  /** `https://localhost:41236`, where a POS posts to `/api/v3/...`. */
  readonly url: string;
  /** Value of the header `PAC`. */
  readonly pac: string;
  /** Client certificate and its key, PEM. */
  readonly certificate: string;
  readonly key: string;
  /** PEM of the certificate that a POS must trust. */
  readonly ca: string;
  /** Changes what goes wrong there. */
  fault(faults: Partial<VsdcFaults>): void;
}

export interface TestCard {
  /** PIN of the card in the reader, or of the last one that was in it. */
  readonly pin: string;
  /** Counters, sum, PIN attempts and PIN session. Amounts are decimal text. */
  readonly state: CardRecord;
  /** Puts the last card back into the reader. */
  insert(): Promise<void>;
  remove(): void;
  /** @param name of `otherCards`, or `main`. Rejects with RangeError if there is no such card. */
  swap(name: string): Promise<void>;
  /** Resets the card as another program would: the PIN session ends. */
  reset(): void;
  /** Changes PIN attempts, lock, sum, limit or counters. Rejects with an Error that names every wrong field. */
  patch(patch: CardPatch): Promise<void>;
  /** The authority audits the card, which sets its sum back. Rejects with an Error if the audit fails. */
  audit(): Promise<void>;
}

/** The time of service and card. */
export interface TestClock {
  /** ISO 8601, UTC. */
  readonly now: string;
  /** @param time ISO 8601. @throws RangeError if it is not a time */
  set(time: string): void;
  /** @param duration `1h30m`, `40s`, `500ms`, or `-1h` for backwards. @throws RangeError if it is not a duration */
  advance(duration: string): void;
  /** @param at ISO 8601. Default: now. @throws RangeError if it is not a time */
  freeze(at?: string): void;
  tick(): void;
}
