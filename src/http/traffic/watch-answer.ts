/** Watches the answers that the service writes, and can disturb them. */
import type { Request, Response } from "express";
import { isSale } from "../endpoints.js";

/** An answer that is complete, but not sent yet. */
export interface HeldAnswer {
  readonly body: Buffer;
  readonly response: Response;
  /** Sends bytes; resolves when the system has accepted them. */
  write(bytes: Uint8Array): Promise<void>;
  end(): void;
}

/** Sends an answer with a fault. @param done called before the last bytes are sent, with how the answer ends */
export type Send = (answer: HeldAnswer, done: (end: AnswerEnd) => void) => Promise<void>;

/** Decides how to send the answer to a request; undefined without a fault. */
export type FaultySend = (request: Request) => Send | undefined;

/**
 * How an answer ends: sent, broken off on purpose, or the caller disconnected. `abandoned`: it disconnected while it
 * waited for the answer to a sale; `gone`: while it sent the body of its request.
 */
export type AnswerEnd = "sent" | "broken" | "abandoned" | "gone";

export function watchAnswer(
  request: Request,
  response: Response,
  faultySend: FaultySend,
  done: (body: string, end: AnswerEnd) => void,
): void {
  const chunks: (string | Uint8Array)[] = [];
  const keep = (chunk: unknown) => {
    if (typeof chunk === "string") chunks.push(chunk);
    // Copy the chunk, because the writer may reuse its buffer.
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
    const text = textOf(chunks);
    if (request.destroyed && !request.complete) {
      done(text, "gone");
      response.socket?.destroy();
      return response;
    }
    const send = faultySend(request);
    if (!send) {
      done(text, response.destroyed && isSale(request) ? "abandoned" : "sent");
      return end(...args);
    }
    const pending = {
      body: bytesOf(chunks),
      response,
      end: () => void end(),
      write: (bytes: Uint8Array) => new Promise<void>((resolve) => void write(bytes, () => resolve())),
    };
    void send(pending, (kind) => done(text, kind));
    return response;
  }) as typeof response.end;
}

/** The text of an answer. Nearly every answer is a single text, which is not copied. */
function textOf(chunks: readonly (string | Uint8Array)[]): string {
  const [only = "", ...others] = chunks;
  return others.length === 0 && typeof only === "string" ? only : bytesOf(chunks).toString("utf8");
}

function bytesOf(chunks: readonly (string | Uint8Array)[]): Buffer {
  return Buffer.concat(chunks.map((chunk) => (typeof chunk === "string" ? Buffer.from(chunk) : chunk)));
}
