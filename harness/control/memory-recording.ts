/** Keeps in memory what happens to a world. A user can request the recording as a scenario. */
import { setImmediate } from "node:timers/promises";
import type { Given } from "../../emulator/world/given.js";
import { givenOfWorld } from "../../emulator/world/given-now.js";
import type { World } from "../../emulator/world/world.js";
import { systemClock } from "../../src/base/clock.js";
import { toIso } from "../../src/fiscal/time.js";
import { sizeOf, type TrafficEntry } from "../../src/http/traffic/traffic-entry.js";
import { ExchangeRecorder, isReplayable, stepsBefore } from "../scenario/recorded-exchange.js";
import type { WrittenStep } from "../scenario/scenario.js";
import { headText, pinOf, stepText } from "../scenario/scenario-text.js";
import { CONTROL_LIMITS } from "./limits.js";

/** A request has its `body` only if the body is not text, because a small buffer keeps the memory of its neighbours. */
type Happening = WrittenStep | { readonly entry: TrafficEntry; readonly body?: Buffer };

export class MemoryRecording {
  private session: Session;

  constructor(private readonly world: World) {
    this.session = new Session(givenOfWorld(world));
    world.traffic.on("begun", () => this.begin());
    world.events.on("begun", () => this.begin());
    world.events.on("done", (step) => this.steps([step]));
    world.traffic.on("entry", (entry, body, end) => {
      if (!isReplayable(entry)) return;
      this.steps(stepsBefore(end));
      const isText = Buffer.from(entry.body).equals(body);
      this.add({ entry, ...(isText ? {} : { body }) }, body.length + sizeOf(entry));
    });
  }

  steps(steps: readonly WrittenStep[]): void {
    for (const step of steps) this.add(step, JSON.stringify(step).length);
  }

  begin(): void {
    this.session = new Session(givenOfWorld(this.world));
  }

  get name(): string {
    return `recorded-${toIso(systemClock.now()).slice(0, 19).replaceAll(":", "-")}`;
  }

  scenario(): Promise<string> {
    return this.session.text();
  }

  /** A full recording starts again from the current state, because an emulator may run for weeks. */
  private add(happening: Happening, characters: number): void {
    const { recordingSteps, recordingCharacters } = CONTROL_LIMITS;
    const { session } = this;
    session.add(happening, characters);
    if (session.length > recordingSteps.value || session.characters > recordingCharacters.value) this.begin();
  }
}

/** The steps of a recording. We write them as text on request only, because most are never requested. */
class Session {
  length = 0;
  characters = 0;
  private readonly waiting: Happening[] = [];
  private readonly written: string[] = [];
  private readonly exchanges: ExchangeRecorder;
  private writing: Promise<void> | undefined;

  constructor(private readonly given: Given) {
    this.exchanges = new ExchangeRecorder(pinOf(given));
  }

  add(happening: Happening, characters: number): void {
    this.waiting.push(happening);
    this.length += 1;
    this.characters += characters;
  }

  async text(): Promise<string> {
    this.writing ??= this.writeDown().finally(() => {
      this.writing = undefined;
    });
    await this.writing;
    return this.written.join("");
  }

  /** Writes one step at a time, so that a till that sells at the same time does not wait. */
  private async writeDown(): Promise<void> {
    if (this.written.length === 0) this.written.push(headText(this.given));
    for (let next = this.waiting.shift(); next; next = this.waiting.shift()) {
      this.written.push(
        stepText("entry" in next ? this.exchanges.step(next.entry, next.body ?? Buffer.from(next.entry.body)) : next),
      );
      await setImmediate();
    }
  }
}
