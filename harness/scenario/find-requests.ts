/** Finds requests in the traffic log and waits for them, so that a test can check what a POS has sent. */

import { differences, requireMatchers } from "../../emulator/faults/match.js";
import { readable, requestFields } from "../../emulator/faults/sent-request.js";
import { durationOf } from "../../src/base/duration.js";
import { toIso } from "../../src/fiscal/time.js";
import { sizeOf, type TrafficEntry } from "../../src/http/traffic/traffic-entry.js";
import { TRAFFIC_BOUNDS, type TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { fieldsOf } from "./json.js";
import type { RequestFilter, SentRequest, Wait } from "./request-types.js";

const SALE_PATH = /\/(invoices|test-invoice)\/?(\?|$)/i;
const LONGEST_WAIT_MS = 600_000;
/** The largest number of requests that an error lists. */
const NAMED = 20;

/** Error if no matching request came in time. */
export class NotSentError extends Error {
  override readonly name = "NotSentError";
  /** @param came one line for each of the newest requests that were sent */
  constructor(
    message: string,
    readonly came: readonly string[],
  ) {
    super(message);
  }
}

/**
 * Returns all matching requests in the log, oldest first. The log has limits, and `reset` empties it. Of a large log,
 * the function compares only the newest requests: as many as fit in one answer of the log.
 * @throws ConfigError if a pattern cannot be used
 */
export function findRequests(log: TrafficLog, where: RequestFilter = {}): SentRequest[] {
  requireMatchers(where);
  const newest = newestThatFit(log.entries, sizeOf);
  return sentRequests(newest).filter((request) => differences(where, request).length === 0);
}

/** Returns the newest entries that fit into one answer of `GET /control/traffic`, at least the newest one. */
export function newestThatFit<T>(all: readonly T[], charactersOf: (entry: T) => number): readonly T[] {
  let room = TRAFFIC_BOUNDS.answer;
  const tooOld = all.findLastIndex((entry) => {
    room -= charactersOf(entry);
    return room < 0;
  });
  return all.slice(Math.min(tooOld + 1, Math.max(all.length - 1, 0)));
}

/**
 * Waits for the n-th answered request that matches, and returns it.
 * @throws NotSentError after the time limit, RangeError if `within` is not a duration of at most 10 minutes, ConfigError
 * if a pattern cannot be used
 */
export async function waitForRequest(
  log: TrafficLog,
  where: RequestFilter,
  { nth = 1, within = "5s" }: Wait = {},
): Promise<SentRequest> {
  const patience = durationOf(within);
  if (patience < 0 || patience > LONGEST_WAIT_MS) throw new RangeError("within must be between 0s and 10m");
  const findNow = () => findRequests(log, where).filter(isAnswered)[nth - 1];
  const request = findNow() ?? (await nextThat(log, findNow, patience));
  if (request) return request;
  throw notSent(log, where, nth, within);
}

/** Calls `find` after each request, until it returns a value or `ms` have passed. */
function nextThat<T>(log: TrafficLog, find: () => T | undefined, ms: number): Promise<T | undefined> {
  return new Promise((resolve) => {
    const end = (value: T | undefined) => {
      clearTimeout(timer);
      log.off("ended", look);
      resolve(value);
    };
    const look = () => {
      const value = find();
      if (value !== undefined) end(value);
    };
    const timer = setTimeout(() => end(undefined), ms);
    log.on("ended", look);
  });
}

function notSent(log: TrafficLog, where: RequestFilter, nth: number, within: string): NotSentError {
  const all = findRequests(log);
  const matching = findRequests(log, where).length;
  const missing = `request ${nth} with ${JSON.stringify(where)}`;
  const came = all.slice(-NAMED).map(lineOf);
  return new NotSentError(
    `${missing} did not come within ${within}; ${matching} of ${all.length} requests match`,
    came,
  );
}

/** Describes a request in one line, such as `POST /api/v3/invoices order-1: 400 2310`. */
export function lineOf({ online, method, path, requestId, status, code }: SentRequest): string {
  const result = status === 0 ? "no answer" : [status, code].filter((part) => part !== null).join(" ");
  return `${[online ? "online" : null, method, path, requestId].filter((part) => part !== null).join(" ")}: ${result}`;
}

const isAnswered = ({ status, answer }: SentRequest): boolean => status !== 0 || answer !== null;

/**
 * Returns the requests of a till. The call needs all entries of the log: a request whose answer has the invoice number
 * of an earlier answer is a repeat, so its `signed` is false.
 */
export function sentRequests(entries: readonly TrafficEntry[]): SentRequest[] {
  const numbers = new Set<string>();
  return entries.map((entry) => {
    const { id, at, online = false, method, path, status } = entry;
    const answer = readable(entry.answer);
    const { code, invoiceNumber } = namesIn(answer);
    const isNew =
      method === "POST" && SALE_PATH.test(path) && invoiceNumber !== undefined && !numbers.has(invoiceNumber);
    if (isNew) numbers.add(invoiceNumber);
    const sent = { id, at: toIso(at), online, ...requestFields(entry) };
    return { ...sent, status, code: code ?? null, answer, signed: isNew };
  });
}

/** Reads the code and the invoice number of an answer. The answer to a PIN is only a code, as JSON or as text. */
function namesIn(answer: unknown): { code?: string; invoiceNumber?: string } {
  const alone = typeof answer === "object" ? undefined : /^\d{4}$/.exec(String(answer))?.[0];
  const { code = alone, invoiceNumber } = fieldsOf(answer);
  return {
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof invoiceNumber === "string" ? { invoiceNumber } : {}),
  };
}
