/** Records traffic as a scenario at once, so that a problem in a shop becomes a test. */
import { appendFileSync, rmSync } from "node:fs";
import { dirname, join, parse, relative, resolve } from "node:path";
import type { Given } from "../../emulator/world/given.js";
import { forwardSlashes } from "../../src/base/forward-slashes.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { writePrivate } from "../../src/base/private-file.js";
import { readText } from "../../src/base/read-text.js";
import { messageOf } from "../../src/base/thrown.js";
import { ConfigError } from "../../src/config/config-error.js";
import { LimitError } from "../../src/http/call-errors.js";
import type { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { ExchangeRecorder, isReplayable, stepsBefore } from "../scenario/recorded-exchange.js";
import type { WrittenStep } from "../scenario/scenario.js";
import { headText, pinOf, stepText } from "../scenario/scenario-text.js";
import { CONTROL_LIMITS } from "./limits.js";

export class Recording {
  private exchanges: ExchangeRecorder;
  private file: string;
  private part = 1;
  /** Length of the file. It does not exist before its first step: a scenario without steps plays nothing. */
  private characters = 0;
  /** The head of the file: everything in front of its first step. */
  private headNow: string;

  /**
   * @param begins returns the current state of the world, for the `given` of the scenario
   * @param failed called once, when the file can no longer be written. The service still sells.
   * @throws ConfigError if the file cannot be written at all
   */
  constructor(
    private readonly firstFile: string,
    private readonly begins: () => Given,
    private failed: ((reason: string) => void) | undefined,
  ) {
    this.file = firstFile;
    this.exchanges = new ExchangeRecorder(pinOf(this.begins()));
    this.headNow = this.head();
    try {
      writePrivate(this.file, this.headNow);
      rmSync(this.file);
    } catch (error) {
      throw new ConfigError(`the recording cannot be written: ${messageOf(error)}`);
    }
  }

  follow(traffic: TrafficLog): void {
    traffic.on("begun", () => this.beginAnother());
    traffic.on("entry", (entry, body, end) => {
      if (!isReplayable(entry)) return;
      this.steps(stepsBefore(end));
      this.write(() => this.append(stepText(this.exchanges.step(entry, body))));
    });
  }

  /** Records steps that are not traffic: what happens to card, clock or service. */
  steps(steps: readonly WrittenStep[]): void {
    if (steps.length > 0) this.write(() => this.append(steps.map(stepText).join("")));
  }

  /** Starts the recording again from the current state of the world and replaces the file. */
  begin(): void {
    this.write(() => {
      this.exchanges = new ExchangeRecorder(pinOf(this.begins()));
      this.headNow = this.head();
      this.characters = 0;
      rmSync(this.file, { force: true });
    });
  }

  /** Begins `day-2.yaml` after `day.yaml`: the service now behaves differently and needs a new scenario. */
  beginAnother(): void {
    const { dir, name, ext } = parse(this.firstFile);
    this.part += 1;
    this.file = join(dir, `${name}-${this.part}${ext}`);
    this.begin();
  }

  /** Rewrites the head of the file when we know more about the world at the beginning. The steps stay. */
  restate(): void {
    this.write(() => {
      const steps = this.characters === 0 ? "" : readText(this.file).slice(this.headNow.length);
      this.headNow = this.head();
      if (steps === "") return;
      writePrivate(this.file, this.headNow + steps);
      this.characters = this.headNow.length + steps.length;
    });
  }

  private head(): string {
    const schema = forwardSlashes(
      relative(dirname(resolve(this.file)), join(PACKAGE_ROOT, "scenarios", "schema.json")),
    );
    return `# yaml-language-server: $schema=${schema}\n${headText(this.begins())}`;
  }

  private append(text: string): void {
    if (this.characters === 0) {
      writePrivate(this.file, this.headNow);
      this.characters = this.headNow.length;
    }
    this.characters += text.length;
    if (this.characters > CONTROL_LIMITS.recordingFile.value) {
      throw new LimitError(CONTROL_LIMITS.recordingFile);
    }
    appendFileSync(this.file, text);
  }

  private write(writing: () => void): void {
    if (!this.failed) return;
    try {
      writing();
    } catch (error) {
      this.failed(messageOf(error));
      this.failed = undefined;
    }
  }
}
