/** The form in which scenarios, rehearsal and conformance show a result. */

export type Outcome = "passed" | "failed" | "not seen" | "not applicable" | "needs a person";

/** What a line about a result says. */
export type Reason = "wrong" | "change" | "to do" | "missing" | "refused" | "note" | "reason" | "source";

/** A request and its answer. */
export interface ShownExchange {
  /** Number of the request in the traffic log, if it is there. */
  readonly id?: number;
  /** The exchange in one line, such as `POST /api/v3/invoices order-1: 400 2310`. */
  readonly line: string;
  readonly text?: string;
}

export interface Row {
  readonly id: string;
  readonly text: string;
  readonly outcome: Outcome;
  /** Why it has this outcome, and what to do about it. */
  readonly why: Readonly<Partial<Record<Reason, string>>>;
  readonly exchange: readonly ShownExchange[];
  readonly ms?: number;
}

export interface RehearsalRecord {
  readonly requests: number;
  /** The largest id of a request so far. */
  readonly last: number;
  readonly rows: readonly Row[];
  /** The newest refused invoice and its reason, if nothing was signed after it. */
  readonly refused?: string;
}
