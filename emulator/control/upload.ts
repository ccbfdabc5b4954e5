/** The bytes of a file that a caller sends: larger than other bodies, so one at a time. */
import type { Request } from "express";
import type { Limit } from "../../src/http/limits.js";
import { LimitError } from "../limits.js";
import { ControlError } from "./errors.js";

let underWay = 0;

/** @throws LimitError beyond the limit, ControlError where another file arrives or the connection breaks */
export async function uploadedFile(request: Request, limit: Limit): Promise<Buffer> {
  if (underWay > 0) throw new ControlError(400, "Another file is arriving; send this one again");
  underWay++;
  try {
    return await collect(request, limit);
  } finally {
    underWay--;
  }
}

/** Reads on to the end without keeping anything beyond the limit: clients send all of it before they read the answer. */
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
    throw new ControlError(400, "The connection broke inside of the file");
  }
  if (length > limit.value) throw new LimitError(limit);
  return Buffer.concat(chunks);
}
