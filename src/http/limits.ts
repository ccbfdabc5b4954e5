/** Lists all limits of the service for the code, the API description and docs/security.md. */
import type { ErrorCode } from "../fiscal/codes.js";
import { MOST_VIOLATIONS } from "../fiscalizer/fiscal-error.js";

export interface Limit {
  readonly value: number;
  /** The value as a text for people. */
  readonly shown: string;
  readonly subject: string;
  /**
   * HTTP status and code with which the service refuses a request beyond the limit; null if the limit applies to the
   * answer.
   */
  readonly status: 400 | 503 | null;
  readonly code: ErrorCode | null;
  /** The message of the error; if there is no error, a sentence that says what the service does. */
  readonly sentence: string;
}

const KIB = 1024;
const MIB = 1024 * KIB;

export const LIMITS = {
  bodyBytes: {
    value: MIB,
    shown: "1 MiB",
    subject: "one request body, unpacked",
    status: 400,
    code: "2801",
    sentence: `The body is larger than ${MIB} bytes`,
  },
  arrivingBytes: {
    value: 32 * MIB,
    shown: "32 MiB",
    subject: "all request bodies that are still arriving",
    status: 503,
    code: "1999",
    sentence: "Too many request bodies are arriving at once, and this one took the longest; send it again",
  },
  requestMs: {
    value: 30_000,
    shown: "30 s",
    subject: "time for a whole request to arrive",
    status: 400,
    code: "2806",
    sentence: "The request has not arrived within 30 s",
  },
  readMs: {
    value: 30_000,
    shown: "30 s",
    subject: "time in which a client reads nothing of an answer",
    status: null,
    code: null,
    sentence: "The connection is closed",
  },
  waitingRequests: {
    value: 30,
    shown: "30",
    subject: "requests of one connection that wait for its first one",
    status: null,
    code: null,
    sentence: "The connection is closed",
  },
  unsentBytes: {
    value: 64 * MIB,
    shown: "64 MiB",
    subject: "all answers that wait until their clients read",
    status: null,
    code: null,
    sentence: "The connection that has waited the longest is closed",
  },
  headerBytes: {
    value: 16 * KIB,
    shown: "16 KiB",
    subject: "the headers of a request",
    status: 400,
    code: "2801",
    sentence: `The headers of the request are larger than ${16 * KIB} bytes`,
  },
  /**
   * The limit is 100 more than the largest queue (setting queueLength), so that a full queue can refuse sales and
   * requests for the status still get through.
   */
  connections: {
    value: 400,
    shown: "400",
    subject: "open connections",
    status: 503,
    code: "1999",
    sentence: "400 connections are open and wait for an answer; send the request again",
  },
  streams: {
    value: 50,
    shown: "50",
    subject: "streams of the console's events",
    status: null,
    code: null,
    sentence: "The oldest is closed; its page connects again",
  },
  depth: {
    value: 32,
    shown: "32 levels",
    subject: "nesting of a JSON body",
    status: 400,
    code: "2806",
    sentence: "The body is nested deeper than 32 levels",
  },
  /** Because of this limit and the next two, one request delays the others only for a moment. */
  values: {
    value: 16_000,
    shown: "16,000",
    subject: "values in a JSON body",
    status: 400,
    code: "2808",
    sentence: "The body has more than 16000 values",
  },
  jsonCharacters: {
    value: 256 * KIB,
    shown: "256 Ki characters",
    subject: "the text of a JSON body",
    status: 400,
    code: "2801",
    sentence: `The JSON of the body is longer than ${256 * KIB} characters`,
  },
  entries: {
    value: 1000,
    shown: "1,000",
    subject: "items or payments of an invoice",
    status: 400,
    code: "2808",
    sentence: "A list of the invoice has more than 1000 entries",
  },
  violations: {
    value: MOST_VIOLATIONS,
    shown: "100",
    subject: "wrong fields that one answer names",
    status: null,
    code: null,
    sentence: `The answer names the first ${MOST_VIOLATIONS}`,
  },
} as const satisfies Record<string, Limit>;

/**
 * Writes limits for the description of an interface, such as `Limits: one request body, unpacked: 1 MiB (400, 2801);
 * ...`.
 */
export function limitsInWords(limits: Readonly<Record<string, Limit>>): string {
  const words = Object.values(limits).map(({ subject, shown, status, code }) => {
    const answer = [status, code].filter((part) => part !== null).join(", ");
    return `${subject}: ${shown}${answer === "" ? "" : ` (${answer})`}`;
  });
  return `Limits: ${words.join("; ")}.`;
}
