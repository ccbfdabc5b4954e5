/** Takes snapshots of a world, keeps them by name, and goes back to them. */
import type { Mutex } from "../../src/base/mutex.js";
import type { LifeCycle } from "./life-cycle.js";
import { type Snapshot, SnapshotStore } from "./snapshot.js";
import type { WorldAudits } from "./world-audits.js";

export interface SnapshotParts {
  readonly life: LifeCycle;
  readonly audits: WorldAudits;
  /** Snapshots, starts and stops of the world all use this mutex, so that only one of them runs at a time. */
  readonly mutex: Mutex;
}

export class WorldSnapshots {
  private readonly kept = new SnapshotStore();

  constructor(private readonly parts: SnapshotParts) {}

  get names(): string[] {
    return this.kept.names;
  }

  /** Returns a snapshot by its name; undefined if there is no snapshot of that name. */
  get(name: string): Snapshot | undefined {
    return this.kept.get(name);
  }

  /** Keeps a snapshot that was read from a file. @throws LimitError if there is no room for it */
  keep(name: string, snapshot: Snapshot): void {
    this.kept.keep(name, snapshot);
  }

  /**
   * Takes a snapshot. This restarts the service, so that the snapshot has no unfinished write.
   * @throws LimitError if there is no room for it
   */
  take(name: string): Promise<void> {
    const { life, mutex } = this.parts;
    return mutex.run(async () => {
      this.kept.requireRoom(name);
      const { state } = life.service.secureElement;
      const pinVerified = state.kind === "ready" && state.pin === "verified";
      await life.endService("clean");
      const snapshot = this.now(pinVerified);
      await life.resume(snapshot);
      this.kept.keep(name, snapshot);
    });
  }

  /** Restores the snapshot of a name. @throws RangeError if there is no snapshot of that name */
  async restore(name: string): Promise<void> {
    const snapshot = this.kept.get(name);
    if (!snapshot) throw new RangeError(`there is no snapshot ${name}`);
    await this.goBackTo(snapshot);
  }

  /** Restores the world to its state in the snapshot. */
  goBackTo(snapshot: Snapshot): Promise<void> {
    const { life, audits, mutex } = this.parts;
    return mutex.run(async () => {
      await life.replace(snapshot.given, snapshot);
      audits.renew(snapshot.auditRequest);
      const { cards, reader, clock } = life.parts;
      for (const [name, state] of snapshot.cards) cards.named(name).memory.save(state);
      const current = cards.select(snapshot.current);
      if (snapshot.inserted) reader.insert(current);
      else reader.remove();
      if (!snapshot.plugged) reader.unplug();
      await life.resume(snapshot);
      clock.restore(snapshot.clock);
    });
  }

  /** Returns the current state of the world. Call this method only while no service runs. */
  private now(pinVerified: boolean): Snapshot {
    const { life, audits } = this.parts;
    const { cards, reader, clock, faults } = life.parts;
    const server = life.authorityServer;
    return {
      given: life.given,
      cards: new Map(cards.names.map((name) => [name, cards.named(name).memory.load()])),
      current: cards.current,
      inserted: reader.card !== undefined,
      plugged: reader.slot !== "no-reader",
      pinVerified,
      auditRequest: audits.request,
      clock: clock.state,
      faults: faults.list,
      authority: server && { content: server.content, faults: server.office.faults },
      store: life.folder.readStore(),
    };
  }
}
