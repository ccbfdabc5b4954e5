/** Lists all limits of the service for the code, the API description and docs/security.md. */
import type { ErrorCode } from "../fiscal/codes.js";
import { MOST_VIOLATIONS } from "../fiscalizer/fiscal-error.js";
import { tooManyValues } from "../schema/validator.js";

export interface Limit {
  readonly value: number;
  /** The value as a text for people. */
  readonly shown: string;
  readonly subject: string;
  /** With these the service refuses a request beyond the limit; null if the limit applies to the answer. */
  readonly status: 400 | 503 | null;
  readonly code: ErrorCode | null;
  /** The message of the error; if there is no error, a sentence that says what the service does. */
  readonly sentence: string;
}

const limitWith =
  <S extends Limit["status"], C extends Limit["code"]>(status: S, code: C) =>
  (value: number, shown: string, subject: string, sentence: string) => ({
    value,
    shown,
    subject,
    status,
    code,
    sentence,
  });

const tooLong = limitWith(400, "2801");
const malformed = limitWith(400, "2806");
const tooMany = limitWith(400, "2808");
const overload = limitWith(503, "1999");
/** For a limit of what an answer or a log has. */
export const withoutError = limitWith(null, null);
/** For a call of an interface for developers, whose errors have no code. */
export const refused = limitWith(400, null);

const MOST_BODY_VALUES = 16_000;
const KIB = 1024;
const MIB = 1024 * KIB;

export const LIMITS = {
  bodyBytes: tooLong(MIB, "1 MiB", "one request body", `The body is larger than ${MIB} bytes`),
  arrivingBytes: overload(
    32 * MIB,
    "32 MiB",
    "all request bodies that are still arriving",
    "Too many request bodies are arriving at once, and this one took the longest; send it again",
  ),
  requestMs: malformed(30_000, "30 s", "time for a whole request to arrive", "The request has not arrived within 30 s"),
  readMs: withoutError(30_000, "30 s", "time in which a client reads nothing of an answer", "The connection is closed"),
  waitingRequests: withoutError(
    30,
    "30",
    "requests of one connection that wait for its first one",
    "The connection is closed",
  ),
  unsentBytes: withoutError(
    64 * MIB,
    "64 MiB",
    "all answers that wait until their clients read",
    "The connection that has waited the longest is closed",
  ),
  headerBytes: tooLong(
    16 * KIB,
    "16 KiB",
    "the headers of a request",
    `The headers of the request are larger than ${16 * KIB} bytes`,
  ),
  /** 100 more than the largest queue (setting queueLength), so that requests for the status still get through. */
  connections: overload(
    400,
    "400",
    "open connections",
    "400 connections are open and wait for an answer; send the request again",
  ),
  streams: withoutError(50, "50", "streams of the console's events", "The oldest is closed; its page connects again"),
  depth: malformed(32, "32 levels", "nesting of a JSON body", "The body is nested deeper than 32 levels"),
  /** Because of this limit and the next two, one request delays the others only for a moment. */
  values: tooMany(MOST_BODY_VALUES, "16,000", "values in a JSON body", `The body ${tooManyValues(MOST_BODY_VALUES)}`),
  jsonCharacters: tooLong(
    256 * KIB,
    "256 Ki characters",
    "the text of a JSON body",
    `The JSON of the body is longer than ${256 * KIB} characters`,
  ),
  entries: tooMany(
    1000,
    "1,000",
    "items or payments of an invoice",
    "A list of the invoice has more than 1000 entries",
  ),
  violations: withoutError(
    MOST_VIOLATIONS,
    "100",
    "wrong fields that one answer names",
    `The answer names the first ${MOST_VIOLATIONS}`,
  ),
};

/** Writes limits as `Limits: one request body: 1 MiB (400, 2801); ...`. */
export function limitsInWords(limits: Readonly<Record<string, Limit>>): string {
  const words = Object.values(limits).map(({ subject, shown, status, code }) => {
    const answer = [status, code].filter((part) => part !== null).join(", ");
    return `${subject}: ${shown}${answer === "" ? "" : ` (${answer})`}`;
  });
  return `Limits: ${words.join("; ")}.`;
}
