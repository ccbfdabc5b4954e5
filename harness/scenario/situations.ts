/** Plays the steps of a situation in a world: those in front at once, each other one when the POS has met the entries before it. */
import type { Given } from "../../emulator/world/given.js";
import { SHIPPED_SCENARIOS } from "../../emulator/world/given-file.js";
import type { WorldStep } from "../../emulator/world/step-types.js";
import type { World } from "../../emulator/world/world.js";
import { messageOf } from "../../src/base/thrown.js";
import { namedFile, readText } from "../../src/config/read-file.js";
import { findRequests } from "./find-requests.js";
import { type Expectation, isWorldStep, type OrderEntry, worldStepOf } from "./scenario.js";

/** Where the steps are played: a world, or a service that is watched through the recording proxy. */
type Played = Pick<World, "traffic"> & Partial<Pick<World, "given" | "events">> & { do(step: WorldStep): unknown };

export class Situations {
  private order: readonly OrderEntry[] = [];
  private given: Given | undefined;
  /** Index of the first entry that was not played yet, and the largest id of a request before the situation. */
  private next = 0;
  private since = 0;
  private playing: Promise<void> = Promise.resolve();
  private unmetBy: typeof import("./judge.js").unmetBy = () => [];

  constructor(private readonly world: Played) {
    world.traffic.on("ended", () => void this.goOn().catch(warn));
    world.events?.on("begun", () => {
      // A reset begins the situation again; another world ends it.
      if (world.given === this.given) void this.begin(this.order).catch(warn);
      else this.order = [];
    });
  }

  /** Begins a situation. Resolves when its first steps are done. @throws CallError or UserError if a step is impossible */
  async begin(order: readonly OrderEntry[]): Promise<void> {
    // Loaded on demand: with the schema of scenarios, a start would take longer.
    if (!order.every(isWorldStep)) ({ unmetBy: this.unmetBy } = await import("./judge.js"));
    this.order = order;
    this.given = this.world.given;
    this.next = 0;
    this.since = this.world.traffic.entries.at(-1)?.id ?? 0;
    return this.goOn();
  }

  private goOn(): Promise<void> {
    if (!this.order.slice(this.next).some(isWorldStep)) return Promise.resolve();
    this.playing = this.playing.catch(() => undefined).then(() => this.playDue());
    return this.playing;
  }

  private async playDue(): Promise<void> {
    for (;;) {
      const { order, since } = this;
      const at = order.findIndex((entry, i) => i >= this.next && isWorldStep(entry));
      const step = order[at];
      if (!step || !isWorldStep(step)) return;
      const before = order.slice(0, at).filter((entry) => !isWorldStep(entry));
      const sent = () => findRequests(this.world.traffic).filter(({ id }) => id > since);
      if (before.length > 0 && this.unmetBy([{ inOrder: before }], sent()).length > 0) return;
      this.next = at + 1;
      await this.world.do(worldStepOf(step));
    }
  }
}

const warn = (error: unknown): void => process.emitWarning(`a step of the situation failed: ${messageOf(error)}`);

/** Plays the steps of the scenario with which a world began. */
export async function beginScenario(situations: Situations, scenario: string): Promise<void> {
  const file = namedFile("scenario", scenario, SHIPPED_SCENARIOS);
  if (!readText(file).includes("inOrder")) return;
  const { loadScenarios } = await import("./load.js");
  await situations.begin(stepsIn(loadScenarios(file)[0]?.expect) ?? []);
}

/** The entries of a situation with the steps; undefined if it has no steps. */
export function stepsIn(expect: readonly Expectation[] = []): readonly OrderEntry[] | undefined {
  return expect.flatMap((one) => ("inOrder" in one && one.inOrder.some(isWorldStep) ? [one.inOrder] : []))[0];
}
