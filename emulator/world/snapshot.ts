/** The whole state of a world at one moment, and snapshots by name. */
import type { CardState } from "../card/card-state.js";
import type { ClockState } from "../faults/emulated-clock.js";
import type { SetFault } from "../faults/set-fault.js";
import type { AuthorityFaults } from "../tax-authority/authority-faults.js";
import type { AuthorityContent } from "../tax-authority/authority-files.js";
import { EMULATOR_LIMITS, LimitError } from "../tax-authority/endpoint/limits.js";
import type { Given } from "./given.js";

export interface Snapshot {
  readonly given: Given;
  readonly cards: ReadonlyMap<string, CardState>;
  /** Name of the card in the reader, or of the last card that was in it. */
  readonly current: string;
  readonly inserted: boolean;
  readonly plugged: boolean;
  readonly pinVerified: boolean;
  /** The card's answer at the start of an audit that may still be open. */
  readonly auditRequest: Uint8Array | undefined;
  readonly clock: ClockState;
  readonly faults: readonly SetFault[];
  /** Content and faults of the authority; undefined if the world has no authority. */
  readonly authority: AuthoritySnapshot | undefined;
  /** Content of the store's database. */
  readonly store: Uint8Array;
}

/** The content that the authority stores, and the authority's faults. */
export interface AuthoritySnapshot {
  readonly content: AuthorityContent;
  readonly faults: AuthorityFaults;
}

/** Snapshots by name, up to the limits of the emulator. */
export class SnapshotStore {
  private readonly kept = new Map<string, Snapshot>();

  get names(): string[] {
    return [...this.kept.keys()];
  }

  get(name: string): Snapshot | undefined {
    return this.kept.get(name);
  }

  /** Checks that there is room for a snapshot of this name. @throws LimitError if there are too many snapshots */
  requireRoom(name: string): void {
    const { snapshots } = EMULATOR_LIMITS;
    if (!this.kept.has(name) && this.kept.size >= snapshots.value) throw new LimitError(snapshots);
  }

  /** Keeps a snapshot. @throws LimitError if there are too many snapshots, or if all of them together are too large */
  keep(name: string, snapshot: Snapshot): void {
    this.requireRoom(name);
    const others = [...this.kept].filter(([other]) => other !== name);
    const bytes = others.reduce((sum, [, other]) => sum + bytesOf(other), bytesOf(snapshot));
    if (bytes > EMULATOR_LIMITS.snapshotBytes.value) throw new LimitError(EMULATOR_LIMITS.snapshotBytes);
    this.kept.set(name, snapshot);
  }
}

function bytesOf({ store, authority }: Snapshot): number {
  const packages = [...(authority?.content.packages.values() ?? [])];
  return packages.reduce((sum, text) => sum + text.length, store.length);
}
