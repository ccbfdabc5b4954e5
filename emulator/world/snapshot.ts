/** Everything about a world, at one moment. */
import type { CardState } from "../card/card-state.js";
import type { SetFault } from "../faults/faults.js";
import type { ClockState } from "./emulated-clock.js";
import type { Given } from "./given.js";

export interface Snapshot {
  readonly given: Given;
  readonly cards: ReadonlyMap<string, CardState>;
  /** Name of the card that is in the reader, or was the last one in it. */
  readonly current: string;
  readonly inserted: boolean;
  readonly plugged: boolean;
  readonly pinVerified: boolean;
  /** What the card told at the start of an audit that may still be open. */
  readonly auditRequest: Uint8Array | undefined;
  readonly clock: ClockState;
  readonly faults: readonly SetFault[];
  /** The database file. */
  readonly store: Buffer;
}
