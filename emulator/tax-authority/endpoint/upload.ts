/** Reads an uploaded file. Files are larger than other bodies, so only one may arrive at a time. */
import type { Request } from "express";
import type { Limit } from "../../../src/http/limits.js";
import { ControlError } from "./errors.js";
import { LimitError } from "./limits.js";

let underWay = 0;

/**
 * Reads the file in a request.
 * @throws LimitError if the file is too large, ControlError if another file is arriving or the connection breaks
 */
export async function uploadedFile(request: Request, limit: Limit): Promise<Buffer> {
  if (underWay > 0) throw new ControlError(400, "Another file is arriving; send this one again");
  underWay++;
  try {
    return await collect(request, limit);
  } finally {
    underWay--;
  }
}

/**
 * Reads the body to the end, even if it is too large, because clients send the whole body before they read the answer.
 */
async function collect(request: Request, limit: Limit): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > limit.value) chunks.length = 0;
      else chunks.push(chunk);
    }
  } catch {
    throw new ControlError(400, "The connection broke off in the middle of the file");
  }
  if (length > limit.value) throw new LimitError(limit);
  return Buffer.concat(chunks);
}
