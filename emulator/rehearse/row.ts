/** A rehearsal as the control interface and the console show it. This file has only types, because a browser loads it. */

export type RowState = "passed" | "failed" | "notSeen" | "eyes";

/** A row of the list. `requests` are ids of requests that show the result. */
export interface Row {
  readonly id: string;
  readonly text: string;
  readonly source: string;
  readonly state: RowState;
  readonly requests: readonly number[];
  /** What is wrong, quoted from the traffic; for a failed row. */
  readonly value?: string;
  /** What was not seen yet; for a row that asks for several things. */
  readonly missing?: readonly string[];
  /** What to do in the POS; for a row that was not seen yet. */
  readonly todo?: string;
  /** What to change in the POS; for a failed row. */
  readonly change?: string;
}

export interface RehearsalRecord {
  /** How many requests were judged. */
  readonly requests: number;
  readonly rows: readonly Row[];
}
