/** The traffic log: each request and answer with the APDUs that it caused. PINs are masked. */
import { AsyncLocalStorage } from "node:async_hooks";
import { EventEmitter } from "node:events";
import type { Request, RequestHandler, Response } from "express";
import type { Clock } from "../../src/clock.js";
import { isConsolePath } from "../../src/console/router.js";
import { decodeCommand } from "../../src/secure-element/apdu/command.js";
import { CLA_SECURE_ELEMENT, INS } from "../../src/secure-element/apdu/instructions.js";
import { describeStatusWord } from "../../src/secure-element/apdu/status-words.js";
import { operationOf } from "../faults/fault.js";
import { MASKED, maskedBody, maskedHeaders, maskedPath } from "./mask.js";

export interface JournalApdu {
  readonly operation: string;
  /** Hexadecimal; the PIN's digits are masked. */
  readonly command: string;
  /** Hexadecimal; absent where none came. */
  readonly answer?: string;
  /** Status word in words, or why no answer came. */
  readonly result: string;
}

export interface JournalEntry {
  readonly id: number;
  /** ms since the epoch, on the emulated clock. */
  readonly at: number;
  /** ms that the till waited. */
  ms: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
  /** 0 until answered, or where the connection was dropped. */
  status: number;
  answerHeaders: Readonly<Record<string, unknown>>;
  answer: string;
  readonly apdus: JournalApdu[];
}

/** The oldest entries make room: an emulator may run for weeks. */
const MAX_ENTRIES = 1000;
/** Characters of bodies and answers, which have up to 1 MiB each. */
const MAX_CHARACTERS = 64 * 1024 * 1024;
/** VERIFY, CHANGE REFERENCE DATA and RESET RETRY COUNTER of ISO 7816-4, which other applets have. */
const ISO_PIN_INSTRUCTIONS: readonly number[] = [0x20, 0x21, 0x24, 0x2c];
/** CLA, INS, P1, P2 and the first byte of the length. */
const COMMAND_HEADER_BYTES = 5;

/** Each `entry` comes with the bytes of its body, masked where it is a PIN; after `begun` the service behaves otherwise. */
export class Journal extends EventEmitter<{ entry: [JournalEntry, Buffer]; begun: [] }> {
  private readonly current = new AsyncLocalStorage<JournalEntry>();
  private readonly recorded: JournalEntry[] = [];
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
    return this.recorded;
  }

  clear(): void {
    this.recorded.length = 0;
  }

  /** @param dropAnswer whether the connection is to break before this answer is sent */
  handler(dropAnswer: (request: Request) => boolean): RequestHandler {
    return (request, response, next) => {
      if (isConsolePath(request.path)) {
        next();
        return;
      }
      const entry = this.begin(request);
      const began = this.stopwatch.now();
      watchAnswer(response, (answer) => {
        const raw = bytesOf(request);
        const body = raw.toString("utf8");
        entry.body = maskedBody(entry.path, body);
        const bytes = entry.body === body ? raw : Buffer.from(entry.body);
        entry.ms = this.stopwatch.now() - began;
        const dropped = dropAnswer(request);
        if (!dropped) {
          entry.status = response.statusCode;
          entry.answerHeaders = response.getHeaders();
        }
        entry.answer = answer;
        this.makeRoom();
        this.emit("entry", entry, bytes);
        return dropped;
      });
      this.current.run(entry, next);
    };
  }

  /** What the card is asked now belongs to the request that is being served, if any. */
  apdu(command: Uint8Array, answer: Uint8Array | undefined, result?: string): void {
    this.current.getStore()?.apdus.push(describeApdu(command, answer, result));
  }

  private begin(request: Request): JournalEntry {
    const entry: JournalEntry = {
      id: ++this.lastId,
      at: this.clock().now(),
      ms: 0,
      method: request.method,
      path: maskedPath(request.originalUrl),
      headers: maskedHeaders(request.originalUrl, request.headers),
      body: "",
      status: 0,
      answerHeaders: {},
      answer: "",
      apdus: [],
    };
    this.recorded.push(entry);
    return entry;
  }

  private makeRoom(): void {
    const size = ({ body, answer }: JournalEntry) => body.length + answer.length;
    let characters = this.recorded.reduce((sum, entry) => sum + size(entry), 0);
    while (this.recorded.length > MAX_ENTRIES || characters > MAX_CHARACTERS) {
      const oldest = this.recorded.shift();
      if (!oldest) return;
      characters -= size(oldest);
    }
  }
}

export function describeApdu(command: Uint8Array, answer: Uint8Array | undefined, result?: string): JournalApdu {
  const bytes = Buffer.from(command);
  const masked = carriesPin(bytes) && bytes.length > COMMAND_HEADER_BYTES;
  const hex = masked ? bytes.toString("hex", 0, COMMAND_HEADER_BYTES) + MASKED.repeat(4) : bytes.toString("hex");
  const statusWord = answer && answer.length >= 2 ? Buffer.from(answer).readUInt16BE(answer.length - 2) : undefined;
  return {
    operation: operationOf(instructionOf(command)),
    command: hex.toUpperCase(),
    ...(answer ? { answer: Buffer.from(answer).toString("hex").toUpperCase() } : {}),
    result: result ?? (statusWord === undefined ? "no status word" : describeStatusWord(statusWord)),
  };
}

/** The secure element has other meanings for the numbers of ISO 7816-4, in a class of its own. */
function carriesPin([cla, ins = 0]: Uint8Array): boolean {
  return ins === INS.VERIFY_PIN || (cla !== CLA_SECURE_ELEMENT && ISO_PIN_INSTRUCTIONS.includes(ins));
}

export function instructionOf(command: Uint8Array): number {
  try {
    return decodeCommand(command).ins;
  } catch {
    return command[1] ?? 0;
  }
}

/** The body as the service has collected it; empty where it did not want one. */
function bytesOf({ body }: Request): Buffer {
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0);
}

/** The answer as the service writes it; it ends the connection instead where `done` says so. */
function watchAnswer(response: Response, done: (body: string) => boolean): void {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown) => {
    if (typeof chunk === "string") chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  const write = response.write.bind(response) as (...args: unknown[]) => boolean;
  const end = response.end.bind(response) as (...args: unknown[]) => Response;
  response.write = ((...args: unknown[]) => {
    keep(args[0]);
    return write(...args);
  }) as typeof response.write;
  response.end = ((...args: unknown[]) => {
    keep(args[0]);
    if (done(Buffer.concat(chunks).toString("utf8"))) {
      response.socket?.destroy();
      return response;
    }
    return end(...args);
  }) as typeof response.end;
}
