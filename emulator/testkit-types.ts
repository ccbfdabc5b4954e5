/**
 * What a test sees of the kit. In a file of types only, because what is published must compile in a strict project
 * that has none of our libraries' types: no Express, no node-forge, no Node.
 */
import type { CardPatch, CardRecord } from "./control/card-types.js";
import type { Fault } from "./faults/fault.js";
import type { RequestFilter, SentRequest, Wait } from "./traffic/request-types.js";
import type { Given } from "./world/given.js";

export interface EmulatorOptions {
  /** Whose `given` the emulator starts from: a scenario file, or the name of a shipped one such as `pin/card-locked`. */
  readonly scenario?: string;
  /** What differs from that, or stands alone. */
  readonly given?: Given;
  /** What everything random follows from. */
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
  /** Sets a fault from now on. @throws Error that names what is wrong with the fault itself */
  fault(fault: Fault): void;
  /** Takes all faults away. */
  clearFaults(): void;
  /**
   * What the till has sent since the start or the last reset, the oldest first. Requests with their fields as `where` says: values,
   * parts of objects, matchers of scenario files.
   */
  requests(where?: RequestFilter): SentRequest[];
  /** Those of them that an invoice was signed for: each invoice once, however often the till has repeated it. */
  signed(where?: RequestFilter): SentRequest[];
  /** Resolves with the n-th such request once it is answered. Rejects after the time limit with Error that names what came instead. */
  waitForRequest(where: RequestFilter, wait?: Wait): Promise<SentRequest>;
  /** Goes back to the start, on the same address: card, store, clock, faults, traffic. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

export interface TestCard {
  /** Digits of the PIN of the card that is in the reader, or was the last one in it. */
  readonly pin: string;
  /** Counters, sum, tries and PIN session; amounts are decimal text. */
  readonly state: CardRecord;
  /** Puts the card in again that was in last. */
  insert(): Promise<void>;
  remove(): void;
  /** @param name of `otherCards`, or `main`. Rejects with RangeError if there is no such card. */
  swap(name: string): Promise<void>;
  /** Resets the card as another program would: the PIN session is gone. */
  reset(): void;
  /** Changes tries, lock, sum, limit, counters. Rejects with Error that names every wrong field. */
  patch(patch: CardPatch): Promise<void>;
  /** The authority audits the card: its sum starts again. Rejects with Error if the card does not take part. */
  audit(): Promise<void>;
}

/** The time of service and card. */
export interface TestClock {
  /** ISO 8601, UTC. */
  readonly now: string;
  /** @param time ISO 8601. @throws RangeError if it is no time */
  set(time: string): void;
  /** @param duration `1h30m`, `40s`, `500ms`, or `-1h` for backwards. @throws RangeError if it is nothing of that */
  advance(duration: string): void;
  freeze(): void;
  tick(): void;
}
