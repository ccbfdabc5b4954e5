/** The traffic log: each request and answer with the APDUs that it caused. PINs are masked. */
import { EventEmitter } from "node:events";
import type { Request, RequestHandler } from "express";
import type { Clock } from "../../src/clock.js";
import { isConsolePath } from "../../src/console/router.js";
import type { Caller } from "../../src/secure-element/secure-element.js";
import { EMULATOR_LIMITS } from "../limits.js";
import { describeApdu } from "./journal-apdu.js";
import { type JournalEntry, sizeOf } from "./journal-entry.js";
import { maskedBody, maskedHeaders, maskedPath } from "./mask.js";
import { type FaultySend, watchAnswer } from "./watch-answer.js";

/** A part of the log: later than an id, earlier than another, and at most so many. */
export interface JournalPart {
  readonly since?: number;
  readonly before?: number;
  readonly last?: number;
}

const REFUSED_BY_GUARD = 403;

/** Each `entry` comes with the bytes of its body, masked where it is a PIN; after `begun` the service behaves otherwise. */
export class Journal extends EventEmitter<{ entry: [JournalEntry, Buffer]; begun: [] }> {
  /** The entry of each request. */
  private readonly entryOf = new WeakMap<Caller, JournalEntry>();
  /** By id, the oldest first. */
  private readonly recorded = new Map<number, JournalEntry>();
  /** Of those that the guard has refused, by id. */
  private readonly refused = new Set<number>();
  /** Characters that each answered entry holds, and all of them. */
  private readonly sizes = new WeakMap<JournalEntry, number>();
  private characters = 0;
  private lastId = 0;

  /**
   * @param clock the emulated one
   * @param stopwatch the system's, for how long the till waited
   */
  constructor(
    private readonly clock: () => Clock,
    private readonly stopwatch: Clock,
  ) {
    super();
  }

  get entries(): readonly JournalEntry[] {
    return [...this.recorded.values()];
  }

  clear(): void {
    this.recorded.clear();
    this.refused.clear();
    this.characters = 0;
  }

  /** The newest entries of a part, so many as one answer takes; the oldest of them first. */
  part({ since = 0, before = Number.MAX_SAFE_INTEGER, last = Number.MAX_SAFE_INTEGER }: JournalPart): JournalEntry[] {
    const found: JournalEntry[] = [];
    let room = EMULATOR_LIMITS.logAnswer.value;
    for (const entry of this.entries.toReversed()) {
      if (entry.id <= since || found.length === last) break;
      if (entry.id >= before) continue;
      // As JSON: what is escaped grows.
      room -= JSON.stringify(entry).length;
      if (room < 0 && found.length > 0) break;
      found.push(entry);
    }
    return found.reverse();
  }

  /**
   * @param faultySend how an answer is sent in which something goes wrong
   * @param pathSegment the one that the settings put in front of the interface
   */
  handler(faultySend: FaultySend, pathSegment: () => string | undefined): RequestHandler {
    return (request, response, next) => {
      if (isConsolePath(request.path)) {
        next();
        return;
      }
      const entry = this.begin(request, pathSegment());
      const began = this.stopwatch.now();
      watchAnswer(request, response, faultySend, (answer, end) => {
        const raw = bytesOf(request);
        const body = raw.toString("utf8");
        entry.body = maskedBody(entry.path, body);
        entry.ms = this.stopwatch.now() - began;
        if (end === "sent") {
          entry.status = response.statusCode;
          entry.answerHeaders = response.getHeaders();
        }
        entry.answer = answer;
        this.makeRoomFor(entry);
        if (end === "gone" || this.listenerCount("entry") === 0) return;
        this.emit("entry", entry, entry.body === body ? raw : Buffer.from(entry.body));
      });
      this.entryOf.set(request, entry);
      next();
    };
  }

  /** @param caller the request for which the card was asked, if any */
  apdu(caller: Caller | undefined, command: Uint8Array, answer: Uint8Array | undefined, result?: string): void {
    const entry = caller && this.entryOf.get(caller);
    entry?.apdus.push(describeApdu(command, answer, result));
  }

  private begin(request: Request, pathSegment: string | undefined): JournalEntry {
    const entry: JournalEntry = {
      id: ++this.lastId,
      at: this.clock().now(),
      ms: 0,
      method: request.method,
      path: maskedPath(request.originalUrl, pathSegment),
      headers: maskedHeaders(request.originalUrl, request.headers),
      body: "",
      status: 0,
      answerHeaders: {},
      answer: "",
      apdus: [],
    };
    this.recorded.set(entry.id, entry);
    return entry;
  }

  /** The oldest entries make room: an emulator may run for weeks. */
  private makeRoomFor(entry: JournalEntry): void {
    const { logEntries, logCharacters, logRefused } = EMULATOR_LIMITS;
    // It may be gone already.
    if (this.recorded.has(entry.id)) {
      const size = sizeOf(entry);
      this.sizes.set(entry, size);
      this.characters += size;
      if (entry.status === REFUSED_BY_GUARD) this.refused.add(entry.id);
    }
    if (this.refused.size > logRefused.value) this.removeFirst(this.refused);
    while (this.recorded.size > logEntries.value || this.characters > logCharacters.value) {
      this.removeFirst(this.recorded.keys());
    }
  }

  private removeFirst([id]: Iterable<number>): void {
    const entry = id === undefined ? undefined : this.recorded.get(id);
    if (!entry) return;
    this.recorded.delete(entry.id);
    this.refused.delete(entry.id);
    this.characters -= this.sizes.get(entry) ?? 0;
  }
}

/** The body as the service has collected it; empty where it did not want one. */
function bytesOf({ body }: Request): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}
