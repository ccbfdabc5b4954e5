/** What has happened to a world, kept until somebody wants it as a scenario. */
import { systemClock } from "../../src/clock.js";
import { toIso } from "../../src/fiscal/time.js";
import type { Step } from "../scenario/scenario.js";
import type { Given } from "../world/given.js";
import type { JournalEntry } from "../world/journal.js";
import type { World } from "../world/world.js";
import { givenOfWorld } from "./given-now.js";
import type { Recorder } from "./recorded-control.js";
import { ExchangeRecorder } from "./recorded-exchange.js";
import { headText, pinOf, stepText } from "./scenario-text.js";

/** An emulator may run for weeks: a longer session begins anew. */
const MOST = 1000;

type Happening = Step | { readonly entry: JournalEntry; readonly body: Buffer };

export class MemoryRecording implements Recorder {
  private given: Given;
  private happened: Happening[] = [];

  constructor(private readonly world: World) {
    this.given = givenOfWorld(world);
    world.journal.on("begun", () => this.begin());
    world.journal.on("entry", (entry, body) => {
      this.happened.push({ entry, body });
      // Begun with the world as it is after this exchange.
      if (this.happened.length > MOST) this.begin();
    });
  }

  steps(steps: readonly Step[]): void {
    this.happened.push(...steps);
  }

  begin(): void {
    this.given = givenOfWorld(this.world);
    this.happened = [];
  }

  /** For a file. */
  get name(): string {
    return `recorded-${toIso(systemClock.now()).slice(0, 19).replaceAll(":", "-")}`;
  }

  /** YAML. Written down only now: most sessions are never asked for. */
  scenario(): string {
    const exchanges = new ExchangeRecorder(pinOf(this.given));
    const stepOf = (happening: Happening) =>
      "entry" in happening ? exchanges.step(happening.entry, happening.body) : happening;
    return headText(this.given) + this.happened.map((happening) => stepText(stepOf(happening))).join("");
  }
}
