/** A row of the record of changes for people. Only types: the console's code imports this file too. */
import type { ChangeKind } from "../../ledger/change-kind.js";

export interface ShownFact {
  readonly fact: string;
  /** Null if there was no value before. */
  readonly from: string | null;
  /** Null if there is no value any more. */
  readonly to: string | null;
}

export interface ShownChange {
  readonly id: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly kind: ChangeKind;
  /** The entries of the sales after this change contain this name. A copy of it shows later whether the record up to here is the same. */
  readonly name: string;
  readonly facts: readonly ShownFact[];
}
