/** The requests of a till, in the form that tests get. This file has only types, because the test kit publishes it. */

export interface SentRequest {
  readonly id: number;
  /** Time on the emulated clock, ISO 8601. */
  readonly at: string;
  /** Whether the request went to the online service of the authority (V-SDC) instead of the till's service. */
  readonly online: boolean;
  readonly method: string;
  /** Path of the request with its query; PINs are masked. */
  readonly path: string;
  /** The request's RequestId; null if the request had no RequestId. */
  readonly requestId: string | null;
  /** The value of a JSON body, or the text of another body; PINs are masked. null without a body. */
  readonly body: unknown;
  /**
   * The posted invoice with the names, types and numbers that the interface describes, whatever spelling the till uses; fields that
   * are null or empty are left out. null if no invoice was posted.
   */
  readonly invoice: unknown;
  /** HTTP status of the answer; 0 before the answer comes, or if the connection broke. */
  readonly status: number;
  /** Code of an error record or of the answer to a PIN; null in other answers. */
  readonly code: string | null;
  /**
   * The value of a JSON answer, or the text of an answer that is not JSON; null without an answer. The field is set even if the till did
   * not receive the answer.
   */
  readonly answer: unknown;
  /**
   * Whether an invoice was signed for this request. The value is false for a repeat that got the same receipt again.
   */
  readonly signed: boolean;
}

/**
 * Fields that a request must have. Each field is a value, a part of an object, or a matcher such as `{ $match:
 * "^/api/v3/invoices" }`.
 */
export type RequestFilter = { readonly [F in Exclude<keyof SentRequest, "id" | "at">]?: unknown };

export interface Wait {
  /** Number of the wanted request among the matching requests; the first has the number 1. Default: 1. */
  readonly nth?: number;
  /** Longest time to wait for the request, in real time, such as `5s`. Default: `5s`. */
  readonly within?: string;
}
