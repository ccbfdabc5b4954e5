/** Keeps the traffic log: each request with its answer and the APDUs that it caused. PINs are masked. */
import { EventEmitter } from "node:events";
import type { Request, RequestHandler } from "express";
import type { Clock } from "../../base/clock.js";
import { tenths } from "../../base/duration.js";
import type { DescribedExchange } from "../../secure-element/described-exchange.js";
import type { Caller } from "../../secure-element/secure-element.js";
import { isConsolePath } from "../endpoints.js";
import { maskedBody, maskedHeaders, maskedPath } from "./mask.js";
import { sizeOf, type TrafficEntry, type TrafficStep } from "./traffic-entry.js";
import { filterOf, type TrafficFilter } from "./traffic-filter.js";
import { type AnswerEnd, type FaultySend, watchAnswer } from "./watch-answer.js";

/** A part of the log: at most `last` entries after the id `since` and before the id `before` that match a filter. */
export interface TrafficPart extends TrafficFilter {
  readonly since?: number;
  readonly before?: number;
  readonly last?: number;
}

/** Reads a part from a URL's query. Values that are not numbers are ignored. */
export function partOf({ text, failed, ...numbers }: Readonly<Record<string, unknown>>): TrafficPart {
  const parsed = Object.entries(numbers).map(([name, value]) => [name, Number(value)] as const);
  return {
    ...Object.fromEntries(parsed.filter(([, number]) => Number.isSafeInteger(number))),
    ...(typeof text === "string" ? { text } : {}),
    failed: failed === "true",
  };
}

/** Limits of a traffic log; the oldest entries are dropped. */
export interface TrafficBounds {
  readonly entries: number;
  /** Maximum number of characters of all entries together. */
  readonly characters: number;
  /** Maximum number of entries that the guard refused, so that a web page cannot push out POS requests. */
  readonly refused: number;
  /** Maximum number of characters of one answer of {@link TrafficLog.part}. */
  readonly answer: number;
}

const MIB = 1024 * 1024;

/** Limits of an emulator. A service with a real card has lower limits. */
export const TRAFFIC_BOUNDS: TrafficBounds = { entries: 1000, characters: 64 * MIB, refused: 100, answer: 4 * MIB };

export const SHOP_TRAFFIC_BOUNDS: TrafficBounds = { entries: 500, characters: 16 * MIB, refused: 50, answer: 4 * MIB };

interface Recorded {
  readonly entry: TrafficEntry;
  /** Start on the stopwatch. */
  readonly began: number;
  /** Size in characters; 0 before the answer. */
  size: number;
}

const REFUSED_BY_GUARD = 403;

/**
 * Records requests and answers. The event `entry` comes with the bytes of the request's body, masked for PINs, and
 * with how the answer ended. `begun` means that the service behaves differently from now on. `ended` comes for every
 * request, also if the caller disconnected before the body was complete.
 */
export class TrafficLog extends EventEmitter<{
  entry: [TrafficEntry, Buffer, AnswerEnd];
  ended: [TrafficEntry, AnswerEnd?];
  begun: [];
}> {
  private readonly ofRequest = new WeakMap<Caller, Recorded>();
  /** Entries by id, oldest first. */
  private readonly recorded = new Map<number, Recorded>();
  /** Ids of entries that the guard refused. */
  private readonly refused = new Set<number>();
  private characters = 0;
  private lastId = 0;

  /** @param clock may be emulated @param stopwatch the system's, which measures how long the POS waited */
  constructor(
    private readonly clock: () => Clock,
    private readonly stopwatch: Clock,
    private readonly bounds: TrafficBounds = TRAFFIC_BOUNDS,
  ) {
    super();
  }

  get entries(): readonly TrafficEntry[] {
    return [...this.recorded.values()].map(({ entry }) => entry);
  }

  clear(): void {
    this.recorded.clear();
    this.refused.clear();
    this.characters = 0;
  }

  /** The newest entries of a part, up to the size of one answer; oldest first. */
  part(part: TrafficPart): TrafficEntry[] {
    const { since = 0, before = Number.MAX_SAFE_INTEGER, last = Number.MAX_SAFE_INTEGER } = part;
    const matches = filterOf(part);
    const matching: TrafficEntry[] = [];
    let room = this.bounds.answer;
    for (const entry of this.entries.toReversed()) {
      if (entry.id <= since || matching.length === last) break;
      if (entry.id >= before || !matches(entry)) continue;
      // Measure the entry as JSON, because escaping adds characters.
      room -= JSON.stringify(entry).length;
      if (room < 0 && matching.length > 0) break;
      matching.push(entry);
    }
    return matching.reverse();
  }

  /** Makes the handler that records requests. @param online marks them as requests to the online service */
  handler(faultySend: FaultySend, pathSegment: () => string | undefined, online = false): RequestHandler {
    return (request, response, next) => {
      if (isConsolePath(request.path)) {
        next();
        return;
      }
      const recorded = this.begin(request, pathSegment(), online);
      const { entry, began } = recorded;
      request.once("end", () => {
        if (entry.status === 0) this.step(recorded, "body", this.stopwatch.now() - began);
      });
      let closed: number | undefined;
      response.once("close", () => {
        closed = this.stopwatch.now();
      });
      watchAnswer(request, response, faultySend, (answer, end) => {
        // The body is empty if the service has not read it.
        const raw: Buffer = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const body = raw.toString("utf8");
        entry.body = maskedBody(entry.path, body);
        entry.ms = Math.round((closed ?? this.stopwatch.now()) - began);
        if (end === "sent") {
          entry.status = response.statusCode;
          entry.answerHeaders = response.getHeaders();
        }
        entry.answer = answer;
        this.makeRoomFor(recorded);
        this.emit("ended", entry, end);
        if (end === "gone" || this.listenerCount("entry") === 0) return;
        this.emit("entry", entry, entry.body === body ? raw : Buffer.from(entry.body), end);
      });
      next();
    };
  }

  /** The entry of a request; its body comes with the answer. */
  entryOf(request: Caller): TrafficEntry | undefined {
    return this.ofRequest.get(request)?.entry;
  }

  /** Adds an exchange with the card that took `ms` to the request that caused it. */
  exchanged(caller: Caller | undefined, describe: () => DescribedExchange, ms: number): void {
    const recorded = caller && this.ofRequest.get(caller);
    if (!recorded) return;
    recorded.entry.apdus.push(describe());
    this.step(recorded, "card", ms);
  }

  /** Adds a write to the store that took `ms` to the request that caused it. */
  readonly wrote = (caller: Caller | undefined, ms: number): void => {
    const recorded = caller && this.ofRequest.get(caller);
    if (recorded) this.step(recorded, "disk", ms);
  };

  /** Adds a step that has ended now. */
  private step({ entry, began }: Recorded, kind: TrafficStep["kind"], ms: number): void {
    const ended = this.stopwatch.now() - began;
    entry.steps.push({ kind, from: tenths(Math.max(0, ended - ms)), ms: tenths(ms) });
  }

  /** Removes entries that are older than `ms`. The stopwatch measures their age, because people may set the clock. */
  forgetOlderThan(ms: number): void {
    const first = this.stopwatch.now() - ms;
    for (const [id, { began }] of this.recorded) if (began < first) this.remove(id);
  }

  private begin(request: Request, pathSegment: string | undefined, online: boolean): Recorded {
    const entry: TrafficEntry = {
      id: ++this.lastId,
      at: this.clock().now(),
      ms: 0,
      ...(online ? { online } : {}),
      method: request.method,
      path: maskedPath(request.originalUrl, pathSegment),
      headers: maskedHeaders(request.originalUrl, request.headers),
      body: "",
      status: 0,
      answerHeaders: {},
      answer: "",
      apdus: [],
      steps: [],
    };
    const recorded: Recorded = { entry, began: this.stopwatch.now(), size: 0 };
    this.ofRequest.set(request, recorded);
    this.recorded.set(entry.id, recorded);
    return recorded;
  }

  /** Drops the oldest entries beyond the limits, because an emulator may run for weeks. */
  private makeRoomFor(answered: Recorded): void {
    const { entries, characters, refused } = this.bounds;
    const { id, status } = answered.entry;
    // The entry may no longer be in the log, if it was dropped before its answer.
    if (this.recorded.has(id)) {
      answered.size = sizeOf(answered.entry);
      this.characters += answered.size;
      if (status === REFUSED_BY_GUARD) this.refused.add(id);
    }
    if (this.refused.size > refused) this.removeFirst(this.refused);
    while (this.recorded.size > entries || this.characters > characters) this.removeFirst(this.recorded.keys());
  }

  private removeFirst([id]: Iterable<number>): void {
    if (id !== undefined) this.remove(id);
  }

  private remove(id: number): void {
    this.characters -= this.recorded.get(id)?.size ?? 0;
    this.recorded.delete(id);
    this.refused.delete(id);
  }
}
