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
const MOST_STEPS = 1000;
const MOST_CHARACTERS = 8 * 1024 * 1024;

type Happening = Step | { readonly entry: JournalEntry; readonly body: Buffer };

export class MemoryRecording implements Recorder {
  private given: Given;
  private happened: Happening[] = [];
  private characters = 0;

  constructor(private readonly world: World) {
    this.given = givenOfWorld(world);
    world.journal.on("begun", () => this.begin());
    world.journal.on("entry", (entry, body) => {
      this.happened.push({ entry, body });
      this.characters += body.length + entry.answer.length;
      this.makeRoom();
    });
  }

  steps(steps: readonly Step[]): void {
    this.happened.push(...steps);
    this.makeRoom();
  }

  begin(): void {
    this.given = givenOfWorld(this.world);
    this.happened = [];
    this.characters = 0;
  }

  /** What is left out at the front would be missing: it begins with the world as it is now. */
  private makeRoom(): void {
    if (this.happened.length > MOST_STEPS || this.characters > MOST_CHARACTERS) this.begin();
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
