/** Gathers facts about a request for log and metrics, without its body and without a PIN. */
import type { Request, RequestHandler, Response } from "express";
import type { ErrorCode, FiscalCode } from "../fiscal/codes.js";
import type { Caller } from "../secure-element/secure-element.js";

export interface RequestFacts {
  readonly request: Request;
  readonly response: Response;
  code?: FiscalCode | ErrorCode;
  /** JSON of the receipt in the answer. */
  receipt?: string;
  /** Whether the receipt was signed for an earlier request. */
  replayed: boolean;
  cardMs: number;
  /** ms until the whole answer was sent or the caller disconnected. */
  ms: number;
}

const FACTS = Symbol("request facts");
type Marked = { [FACTS]?: RequestFacts };

/** The facts about a request; undefined if nothing watches requests. */
export function factsOf(request: Caller | undefined): RequestFacts | undefined {
  return (request as Marked | undefined)?.[FACTS];
}

export function note(request: Caller, added: Partial<Pick<RequestFacts, "code" | "receipt" | "replayed">>): void {
  const facts = factsOf(request);
  if (facts) Object.assign(facts, added);
}

/** It runs before every other handler. @param ended called when the answer was sent or the caller disconnected */
export function observeRequests(now: () => number, ended: (facts: RequestFacts) => void): RequestHandler {
  return (request, response, next) => {
    const began = now();
    const facts: RequestFacts = { request, response, cardMs: 0, ms: 0, replayed: false };
    (request as Marked)[FACTS] = facts;
    response.once("close", () => {
      facts.ms = now() - began;
      ended(facts);
    });
    next();
  };
}
