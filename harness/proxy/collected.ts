/** Reads a whole body into memory, up to a limit. */
import type { IncomingMessage } from "node:http";
import { LARGEST_BODY } from "../scenario/http-call.js";

export class TooLarge extends Error {
  override readonly name = "TooLarge";
  readonly limit = LARGEST_BODY;
}

/**
 * Reads a whole body.
 * @param readOn whether to read a body that is too large to its end, because a client sends its whole body before it
 * reads the answer
 * @throws TooLarge if the body is larger than {@link LARGEST_BODY}
 */
export async function collected(message: IncomingMessage, readOn: boolean): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= LARGEST_BODY) chunks.push(chunk);
    else if (readOn) chunks.length = 0;
    else throw new TooLarge();
  }
  if (size > LARGEST_BODY) throw new TooLarge();
  return Buffer.concat(chunks);
}
