/** Facts about a request for log and metrics, gathered while it is answered: never a body, never a PIN. */
import type { Request, RequestHandler, Response } from "express";
import type { ErrorCode, FiscalCode } from "../fiscal/codes.js";
import type { Caller } from "../secure-element/secure-element.js";

export interface SeenRequest {
  readonly request: Request;
  readonly response: Response;
  /** Code of the answer; undefined if it has none. */
  code: FiscalCode | ErrorCode | undefined;
  /** JSON of the receipt in the answer. */
  receipt: string | undefined;
  /** Whether that receipt was signed for an earlier request. */
  replayed: boolean;
  /** ms that the card worked for it. */
  cardMs: number;
  /** ms until the whole answer was sent or the caller disconnected. */
  ms: number;
}

const SEEN = Symbol("seen");
type Marked = { [SEEN]?: SeenRequest };

/** Undefined if nothing watches requests. */
export function seenOf(request: Caller | undefined): SeenRequest | undefined {
  return (request as Marked | undefined)?.[SEEN];
}

/** Adds facts about the answer. */
export function note(request: Caller, what: Partial<Pick<SeenRequest, "code" | "receipt" | "replayed">>): void {
  const seen = seenOf(request);
  if (seen) Object.assign(seen, what);
}

/** Runs before every other step. @param now ms, monotonic. @param ended called once the answer is sent */
export function observeRequests(now: () => number, ended: (seen: SeenRequest) => void): RequestHandler {
  return (request, response, next) => {
    const began = now();
    const seen: SeenRequest = {
      ...{ request, response, cardMs: 0, ms: 0 },
      ...{ code: undefined, receipt: undefined, replayed: false },
    };
    (request as Marked)[SEEN] = seen;
    response.once("close", () => {
      seen.ms = now() - began;
      ended(seen);
    });
    next();
  };
}
