/** What a till has sent, as tests ask for it. In a file of types only, which the kit publishes. */

export interface SentRequest {
  readonly id: number;
  /** ISO 8601, on the emulated clock. */
  readonly at: string;
  readonly method: string;
  /** With its query, PINs masked. */
  readonly path: string;
  /** null without the header. */
  readonly requestId: string | null;
  /** JSON as a value, else the text, PINs masked; null without a body. */
  readonly body: unknown;
  /** HTTP status; 0 before the answer, or if its connection broke. */
  readonly status: number;
  /** Code of an error record, or the code that the PIN was answered with; null in other answers. */
  readonly code: string | null;
  /** JSON as a value, else the text; null without an answer. Also if the till did not get it. */
  readonly answer: unknown;
  /** Whether an invoice was signed for it. A repeat that gets the same receipt again was not. */
  readonly signed: boolean;
}

/** Fields that a request must have: values, parts of objects, or matchers such as `{ $match: "^/api/v3/invoices" }`. */
export type RequestFilter = { readonly [F in Exclude<keyof SentRequest, "id" | "at">]?: unknown };

export interface Wait {
  /** Which of them: 1 is the first. Default: 1. */
  readonly nth?: number;
  /** How long in real time, such as `5s`. Default: `5s`. */
  readonly within?: string;
}
