/**
 * Collects the bytes of a request's body once for all readers. The size of each body is limited, and so is the memory
 * of all incomplete bodies together.
 */
import type { IncomingMessage } from "node:http";
import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { catchEvents } from "./catch-events.js";
import { HttpError } from "./errors.js";
import { LIMITS } from "./limits.js";

/**
 * Called when a body is complete or refused.
 * @param bytes the collected bytes; one more than allowed if the body was too large
 */
export type Collected = (refusal: Error | undefined, bytes: Buffer) => void;

const DECODERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

export function collectBody(request: IncomingMessage, done: Collected): void {
  const encoding = request.headers["content-encoding"]?.toLowerCase() ?? "identity";
  const decoder = DECODERS.get(encoding);
  if (!decoder && encoding !== "identity") {
    done(
      FiscalError.of("2806", "body", "The Content-Encoding is not supported; use gzip, deflate or br"),
      Buffer.alloc(0),
    );
    return;
  }
  new ArrivingBody(request, decoder?.(), done).collect();
}

/** Incomplete bodies, oldest first. `heldBytes` is the memory that they use. */
const arriving = new Set<ArrivingBody>();
let heldBytes = 0;

/** Size in bytes of the first buffer for a body of unknown length. Each time the buffer is full, it grows fourfold. */
const FIRST_ROOM = 4096;
const MOST_ROOM = LIMITS.bodyBytes.value + 1;

class ArrivingBody {
  /**
   * All bytes of the body are in one buffer: small pieces in separate buffers would need a hundred times the body's
   * memory.
   */
  private room = Buffer.alloc(0);
  private length = 0;
  private refusal: Error | undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly decoder: Transform | undefined,
    private readonly done: Collected,
  ) {}

  collect(): void {
    const { request, decoder } = this;
    arriving.add(this);
    if (decoder) catchEvents(decoder, (error) => request.emit("error", error));
    const source = decoder ? request.pipe(decoder) : request;
    source.on("data", (chunk: Buffer) => this.take(chunk));
    source.once("end", () => this.finish());
    request.once("end", () => this.refusal && this.finish());
    request.once("close", () => {
      if (!request.complete)
        this.giveUp(FiscalError.of("2806", "body", "The connection broke off in the middle of the body"));
    });
    decoder?.on("error", ({ message }) => {
      this.refuse(FiscalError.of("2806", "body", `The body cannot be unpacked: ${message}`));
    });
  }

  private take(chunk: Buffer): void {
    if (this.refusal) return;
    const kept = chunk.subarray(0, MOST_ROOM - this.length);
    this.makeRoom(this.length + kept.length);
    kept.copy(this.room, this.length);
    this.length += kept.length;
    if (this.length > LIMITS.bodyBytes.value) {
      this.refuse(FiscalError.of("2801", "body", `The body is larger than ${LIMITS.bodyBytes.value} bytes`));
    }
    while (heldBytes > LIMITS.arrivingBytes.value) {
      const [oldest] = arriving;
      oldest?.giveUp(new HttpError(503, "body", LIMITS.arrivingBytes.sentence, "1999"));
    }
  }

  private makeRoom(length: number): void {
    if (length <= this.room.length) return;
    const declaredLength = this.decoder ? 0 : Number(this.request.headers["content-length"] ?? 0);
    const wanted = Math.max(length, declaredLength, FIRST_ROOM, this.room.length * 4);
    const larger = Buffer.allocUnsafeSlow(Math.min(wanted, MOST_ROOM));
    this.room.copy(larger, 0, 0, this.length);
    heldBytes += larger.length - this.room.length;
    this.room = larger;
  }

  /**
   * Refuses the body, but reads it to its end and discards it: clients send the whole body before they read the
   * answer.
   */
  private refuse(refusal: Error): void {
    this.refusal ??= refusal;
    this.stopDecoding();
    if (this.request.readableEnded) this.finish();
  }

  /**
   * Refuses the body at once, without reading it to its end: its connection broke, or it is the oldest while memory is
   * short.
   */
  private giveUp(refusal: Error): void {
    this.refusal ??= refusal;
    this.length = 0;
    this.finish();
  }

  private finish(): void {
    if (!arriving.delete(this)) return;
    heldBytes -= this.room.length;
    this.stopDecoding();
    const { room, length } = this;
    this.room = Buffer.alloc(0);
    // Copy the bytes: a slice would keep the whole buffer in memory as long as the traffic log has the slice.
    this.done(this.refusal, length === room.length ? room : Buffer.from(room.subarray(0, length)));
  }

  private stopDecoding(): void {
    if (!this.decoder) return;
    this.request.unpipe(this.decoder);
    this.decoder.destroy();
    this.request.resume();
  }
}
