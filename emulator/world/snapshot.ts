/** Everything about a world, at one moment. */
import type { CardState } from "../card/card-state.js";
import type { SetFault } from "../faults/faults.js";
import { EMULATOR_LIMITS, LimitError } from "../limits.js";
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

/** Snapshots by their names, so many as there is room for. */
export class Snapshots {
  private readonly kept = new Map<string, Snapshot>();

  get names(): string[] {
    return [...this.kept.keys()];
  }

  get(name: string): Snapshot | undefined {
    return this.kept.get(name);
  }

  /** @throws LimitError where one more is too many */
  requireRoom(name: string): void {
    const { snapshots } = EMULATOR_LIMITS;
    if (!this.kept.has(name) && this.kept.size >= snapshots.value) throw new LimitError(snapshots);
  }

  /** @throws LimitError where they would be too many, or too large */
  keep(name: string, snapshot: Snapshot): void {
    this.requireRoom(name);
    const others = [...this.kept].filter(([other]) => other !== name);
    const bytes = others.reduce((sum, [, { store }]) => sum + store.length, snapshot.store.length);
    if (bytes > EMULATOR_LIMITS.snapshotBytes.value) throw new LimitError(EMULATOR_LIMITS.snapshotBytes);
    this.kept.set(name, snapshot);
  }
}
