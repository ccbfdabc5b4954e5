/** Describes a row of the record of changes for people. */
import type { ChangeKind } from "../../ledger/change-kind.js";

export interface ShownFact {
  readonly fact: string;
  /** The value before the change; null if there was none. */
  readonly from: string | null;
  /** The value after the change; null if there is none any more. */
  readonly to: string | null;
}

export interface ShownChange {
  readonly id: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly kind: ChangeKind;
  readonly facts: readonly ShownFact[];
}
