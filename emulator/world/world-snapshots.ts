/** The whole state of a world at one moment: takes snapshots, keeps them by name, and goes back to them. */

import { CallError, LimitError } from "../../src/http/call-errors.js";
import type { ClockState } from "../faults/emulated-clock.js";
import type { SetFault } from "../faults/fault.js";
import type { Given } from "./given.js";
import { EMULATOR_LIMITS } from "./limits.js";
import type { WorldParts } from "./parts.js";
import type { Stopped, World } from "./world.js";
import type { FolderContent } from "./world-folder.js";

export interface Snapshot extends FolderContent {
  readonly given: Given;
  /** Name of the card in the reader, or of the last card that was in it. */
  readonly current: string;
  readonly inserted: boolean;
  readonly plugged: boolean;
  readonly pinVerified: boolean;
  /** The card's answer at the start of an audit that may still be open. */
  readonly auditRequest: Uint8Array | undefined;
  readonly clock: ClockState;
  readonly faults: readonly SetFault[];
}

/** Snapshots by name, up to the limits of the emulator. */
export class WorldSnapshots {
  private readonly kept = new Map<string, Snapshot>();

  constructor(private readonly world: World) {}

  get names(): string[] {
    return [...this.kept.keys()];
  }

  /** @throws CallError 404 if there is no snapshot of that name */
  get(name: string): Snapshot {
    const snapshot = this.kept.get(name);
    if (!snapshot) throw new CallError(404, `There is no snapshot ${name}`);
    return snapshot;
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

  /** Restarts the service, so that the snapshot has no unfinished write. @throws LimitError */
  async take(name: string): Promise<void> {
    this.requireRoom(name);
    const snapshot = await this.world.restart("clean", (now) => snapshotOf(this.world, now));
    if (snapshot) this.keep(name, snapshot);
  }

  async restore(name: string): Promise<void> {
    const content = this.get(name);
    await this.world.begin(content.given, { content, keepsTraffic: true });
  }
}

function snapshotOf(world: World, { pinVerified, faults, store }: Stopped): Snapshot {
  const { given, cards, reader, clock, taxAuthority: server } = world;
  return {
    given,
    cards: new Map(cards.names.map((name) => [name, cards.named(name).memory.load()])),
    current: cards.current,
    inserted: reader.card !== undefined,
    plugged: reader.slot !== "no-reader",
    pinVerified,
    auditRequest: world.audits.direct.request,
    clock: clock.state,
    faults,
    authority: server && { content: server.content, faults: server.office.faults },
    store,
  };
}

export function restoreCards(snapshot: Snapshot, { cards, reader }: Pick<WorldParts, "cards" | "reader">): void {
  for (const [name, state] of snapshot.cards) cards.named(name).memory.save(state);
  const current = cards.select(snapshot.current);
  if (snapshot.inserted) reader.insert(current);
  else reader.remove();
  if (!snapshot.plugged) reader.unplug();
}

function bytesOf({ store, authority }: Snapshot): number {
  const packages = Object.values(authority?.content.packages ?? {});
  return packages.reduce((sum, text) => sum + text.length, store.length);
}
