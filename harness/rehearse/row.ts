/**
 * The form in which the control interface and the console show a rehearsal. This file has only types, because a browser
 * loads it.
 */

export type RowState = "passed" | "failed" | "notSeen" | "eyes";

/** A row of the list. `requests` has the ids of the requests that show the result. */
export interface Row {
  readonly id: string;
  readonly text: string;
  readonly source: string;
  readonly state: RowState;
  readonly requests: readonly number[];
  /** For a failed row: what is wrong, quoted from the traffic. */
  readonly value?: string;
  /** For a row that asks for several things: the things that were not seen yet. */
  readonly missing?: readonly string[];
  /** For a row that was not seen yet: what to do in the POS. */
  readonly todo?: string;
  /** For a row that was not seen yet: the newest refused invoice and its reason, if nothing was signed after it. */
  readonly refused?: string;
  /** For a failed row: what to change in the POS. */
  readonly change?: string;
}

export interface RehearsalRecord {
  /** Number of requests that the rehearsal judged. */
  readonly requests: number;
  readonly rows: readonly Row[];
}
