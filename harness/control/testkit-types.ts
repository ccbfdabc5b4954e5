/**
 * The types of the test kit. This file has only types, because they must compile in strict projects that do not have the types of
 * our libraries: no Express, no node-forge, no Node.
 */

import type { Fault } from "../../emulator/faults/fault.js";
import type { VsdcFaults } from "../../emulator/tax-authority/authority-faults.js";
import type { CardPatch, CardRecord } from "../../emulator/world/card-types.js";
import type { Given } from "../../emulator/world/given.js";
import type { ActionOf } from "../../emulator/world/step-types.js";
import type { RequestFilter, SentRequest, Wait } from "../scenario/request-types.js";

export interface EmulatorOptions {
  /**
   * The emulator starts from the `given` of this scenario: a file, or the name of a shipped scenario such as
   * `pin/card-locked`.
   */
  readonly scenario?: string;
  /** Starting state. With `scenario`, it overrides parts of the scenario's `given`. */
  readonly given?: Given;
  /** Seed of all random values. */
  readonly seed?: string;
  /** The time at the start, and whether the clock ticks. */
  readonly clock?: { readonly at?: string; readonly ticking?: boolean };
}

/** One service on one emulated card. {@link createEmulator} makes it. */
export interface Emulator {
  readonly card: TestCard;
  readonly clock: TestClock;
  readonly service: TestService;
  readonly authority: TestAuthority;
  readonly snapshots: TestSnapshots;
  /** Address where a POS posts to `/api/v3/...`, such as `http://127.0.0.1:41234`. */
  readonly url: string;
  /** Address where `/control/...` controls this emulator over HTTP, such as `http://127.0.0.1:41235`. */
  readonly controlUrl: string;
  /** Returns the authority's online service of `given.vsdc`. Rejects with an Error if `given` has no online service. */
  onlineService(): Promise<TestOnlineService>;
  /** Sets a fault from now on. @throws Error that names what is wrong in the fault's fields */
  fault(fault: Fault): void;
  /** Removes all faults. */
  clearFaults(): void;
  /**
   * Returns the requests that the till has sent since the start or the last reset, oldest first. `where` selects
   * requests by their fields: values, parts of objects, or matchers of scenario files.
   */
  requests(where?: RequestFilter): SentRequest[];
  /**
   * Returns the requests for which an invoice was signed. Each invoice has one request, even if the till has repeated
   * the invoice.
   */
  signed(where?: RequestFilter): SentRequest[];
  /**
   * Resolves with the n-th matching request once the request is answered. Rejects after the time limit with an Error
   * that lists the other requests.
   */
  waitForRequest(where: RequestFilter, wait?: Wait): Promise<SentRequest>;
  /**
   * Returns the expectations of the scenario's file that the till has not met so far. Each is a text with the nearest
   * request and the difference. The list is empty if the till has met all expectations. Rejects with an Error if the
   * scenario has no `expect`.
   */
  unmet(): Promise<string[]>;
  /** Goes back to the start: card, store, clock, faults, traffic. The addresses stay the same. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

/** The authority's online service (V-SDC), and what a POS needs to call it. */
export interface TestOnlineService {
  /** Address where a POS posts to `/api/v3/...`, such as `https://localhost:41236`. */
  readonly url: string;
  /** Value of the header `PAC`. */
  readonly pac: string;
  /** Client certificate and its key, PEM. */
  readonly certificate: string;
  readonly key: string;
  /** PEM of the certificate that a POS must trust. */
  readonly ca: string;
  /** Changes what goes wrong at the online service. */
  fault(faults: Partial<VsdcFaults>): void;
}

export interface TestCard {
  /** PIN of the card in the reader, or of the last card that was in the reader. */
  readonly pin: string;
  /** Counters, sum, PIN attempts and PIN session. Amounts are decimal text. */
  readonly state: CardRecord;
  /** Puts the last card back into the reader. */
  insert(): Promise<void>;
  remove(): void;
  /**
   * Puts another card into the reader. Rejects with an Error if there is no such card.
   * @param name a name in `otherCards`, or `main`
   */
  swap(name: string): Promise<void>;
  /** Resets the card as another program would: the PIN session ends. */
  reset(): void;
  /** Unplugs the reader. */
  unplug(): void;
  /** Plugs the reader in, with the card in it. */
  plug(): Promise<void>;
  /** Changes PIN attempts, lock, sum, limit or counters. Rejects with an Error that names every wrong field. */
  patch(patch: CardPatch): Promise<void>;
  /** The authority audits the card, which sets its sum back. Rejects with an Error if the audit fails. */
  audit(): Promise<void>;
}

/** The service ends and starts again, on the same address, card and store. */
export interface TestService {
  /** Ends it as SIGTERM does. */
  restart(): Promise<void>;
  /** Ends it as SIGKILL does. */
  kill(): Promise<void>;
}

export interface TestAuthority {
  /**
   * Does what a step `authority` of a scenario file does, such as `talk` or `{ configure: "cyrillic" }`. Rejects with an
   * Error if it is impossible; most acts need `given.authority`.
   */
  do(action: AuthorityAction): Promise<void>;
}

export type AuthorityAction = ActionOf<"authority">;

/** Whole states of this emulator by name: card, store, authority, clock and faults. */
export interface TestSnapshots {
  /** Saves the current state. The service restarts for it. */
  take(name: string): Promise<void>;
  /** Goes back to a state. Rejects with an Error if no snapshot has this name. */
  restore(name: string): Promise<void>;
}

/** The time of service and card. */
export interface TestClock {
  /** The current time of the clock, ISO 8601, UTC. */
  readonly now: string;
  /** Sets the clock. @param time ISO 8601. @throws RangeError if `time` is not a time */
  set(time: string): void;
  /**
   * Moves the clock.
   * @param duration such as `1h30m`, `40s`, `500ms`, or `-1h` for backwards.
   * @throws RangeError if `duration` is not a duration
   */
  advance(duration: string): void;
  /** Stops the clock at a time. @param at ISO 8601. Default: now. @throws RangeError if `at` is not a time */
  freeze(at?: string): void;
  tick(): void;
}
