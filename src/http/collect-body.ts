/** Collects the bytes of bodies once for all readers. Each body is limited, and the memory of all incomplete ones. */
import type { IncomingMessage } from "node:http";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { HttpError } from "./errors.js";
import { LIMITS } from "./limits.js";

/** Called when a body is complete or refused. A body that is too large has one byte more than allowed. */
export type Collected = (refusal: Error | undefined, bytes: Buffer) => void;

export function collectBody(request: IncomingMessage, done: Collected): void {
  if ((request.headers["content-encoding"] ?? "identity").toLowerCase() === "identity") {
    arriving.add(new ArrivingBody(request, done));
    return;
  }
  done(
    FiscalError.of("2806", "body", "The Content-Encoding is not supported; send the body without one"),
    Buffer.alloc(0),
  );
}

/** Incomplete bodies, oldest first. `heldBytes` is the memory that they use. */
const arriving = new Set<ArrivingBody>();
let heldBytes = 0;

/** Size in bytes of the first buffer for a body of unknown length. Each time the buffer is full, it grows fourfold. */
const FIRST_ROOM = 4096;
const MOST_ROOM = LIMITS.bodyBytes.value + 1;

class ArrivingBody {
  /** One buffer for all bytes: small pieces in separate buffers would need a hundred times the body's memory. */
  private room = Buffer.alloc(0);
  private length = 0;

  constructor(
    private readonly request: IncomingMessage,
    private readonly done: Collected,
  ) {
    request.on("data", (chunk: Buffer) => this.take(chunk));
    request.once("end", () => this.finish());
    request.once("close", () => {
      if (request.complete) return;
      this.finish(FiscalError.of("2806", "body", "The connection broke off in the middle of the body"));
    });
  }

  /** Reads a body that is too large to its end too: clients send the whole body before they read the answer. */
  private take(chunk: Buffer): void {
    if (!arriving.has(this)) return;
    const kept = chunk.subarray(0, MOST_ROOM - this.length);
    this.makeRoom(this.length + kept.length);
    kept.copy(this.room, this.length);
    this.length += kept.length;
    while (heldBytes > LIMITS.arrivingBytes.value) {
      const [oldest] = arriving;
      oldest?.finish(new HttpError(503, "body", LIMITS.arrivingBytes.sentence, {}, "1999"));
    }
  }

  private makeRoom(length: number): void {
    if (length <= this.room.length) return;
    const declaredLength = Number(this.request.headers["content-length"] ?? 0);
    const wanted = Math.max(length, declaredLength, FIRST_ROOM, this.room.length * 4);
    const larger = Buffer.allocUnsafeSlow(Math.min(wanted, MOST_ROOM));
    this.room.copy(larger, 0, 0, this.length);
    heldBytes += larger.length - this.room.length;
    this.room = larger;
  }

  /** @param refusal why the rest is not read: the connection broke, or this is the oldest body while memory is short */
  private finish(refusal?: Error): void {
    if (!arriving.delete(this)) return;
    const { room, length } = this;
    heldBytes -= room.length;
    this.room = Buffer.alloc(0);
    const tooLarge = length > LIMITS.bodyBytes.value;
    const kept = refusal ? 0 : length;
    // Copy the bytes: a slice would keep the whole buffer in memory as long as the traffic log has the slice.
    const bytes = kept === room.length ? room : Buffer.from(room.subarray(0, kept));
    this.done(tooLarge ? FiscalError.of("2801", "body", LIMITS.bodyBytes.sentence) : refusal, bytes);
  }
}
