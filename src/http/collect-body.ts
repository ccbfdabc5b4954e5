/** Collects the bytes of bodies once for all readers. Each body is limited, and the memory of all incomplete ones. */
import type { IncomingMessage } from "node:http";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { HttpError } from "./errors.js";
import { LIMITS } from "./limits.js";

/** Called when a body is complete or refused. A body that is too large has one byte more than allowed. */
export type Collected = (refusal: Error | undefined, bytes: Buffer) => void;

/** Ends incomplete bodies, the oldest first. `heldBytes` is the memory that they use. */
const arriving = new Set<(refusal?: Error) => void>();
let heldBytes = 0;

/** Size in bytes of the first buffer for a body of unknown length. Each time the buffer is full, it grows fourfold. */
const FIRST_ROOM_BYTES = 4096;
const MOST_ROOM_BYTES = LIMITS.bodyBytes.value + 1;
const NO_ROOM = Buffer.alloc(0);

export function collectBody(request: IncomingMessage, done: Collected): void {
  const { "content-encoding": encoding = "identity", "content-length": declaredLength = 0 } = request.headers;
  if (encoding.toLowerCase() !== "identity") {
    done(FiscalError.of("2806", "body", "The Content-Encoding is not supported; send the body without one"), NO_ROOM);
    return;
  }
  // One buffer for all bytes: small pieces in separate buffers would need a hundred times the body's memory.
  let room: Buffer = NO_ROOM;
  let length = 0;
  // It ends with a refusal if the connection broke, or if this is the oldest body while memory is short.
  const finish = (refusal?: Error): void => {
    if (!arriving.delete(finish)) return;
    heldBytes -= room.length;
    const kept = refusal ? 0 : length;
    // Copy the bytes: a slice would keep the whole buffer in memory as long as the traffic log has the slice.
    const bytes = kept === room.length ? room : Buffer.from(room.subarray(0, kept));
    room = NO_ROOM;
    const tooLarge = length > LIMITS.bodyBytes.value;
    done(tooLarge ? FiscalError.of("2801", "body", LIMITS.bodyBytes.sentence) : refusal, bytes);
  };
  arriving.add(finish);
  // Reads a body that is too large to its end too: clients send the whole body before they read the answer.
  request.on("data", (chunk: Buffer) => {
    if (!arriving.has(finish)) return;
    const kept = chunk.subarray(0, MOST_ROOM_BYTES - length);
    if (length + kept.length > room.length) {
      const wanted = Math.max(length + kept.length, Number(declaredLength), FIRST_ROOM_BYTES, room.length * 4);
      const larger = Buffer.allocUnsafeSlow(Math.min(wanted, MOST_ROOM_BYTES));
      room.copy(larger, 0, 0, length);
      heldBytes += larger.length - room.length;
      room = larger;
    }
    kept.copy(room, length);
    length += kept.length;
    while (heldBytes > LIMITS.arrivingBytes.value) {
      const [finishOldest] = arriving;
      finishOldest?.(new HttpError(503, "body", LIMITS.arrivingBytes.sentence, {}, "1999"));
    }
  });
  request.once("end", () => finish());
  request.once("close", () => {
    if (request.complete) return;
    finish(FiscalError.of("2806", "body", "The connection broke off in the middle of the body"));
  });
}
