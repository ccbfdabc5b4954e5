/** Records a service with a real card: the traffic of the service, and when the card is inserted or removed. */
import type { RequestHandler } from "express";
import { givenOfCard } from "../../emulator/world/given-now.js";
import { systemClock } from "../../src/base/clock.js";
import type { Settings } from "../../src/config/settings.js";
import { TrafficLog } from "../../src/http/traffic/traffic-log.js";
import type { SecureElement, SecureElementState } from "../../src/secure-element/secure-element.js";
import type { WrittenStep } from "../scenario/scenario.js";
import { Recording } from "./recording.js";

export class CardRecorder {
  private readonly traffic = new TrafficLog(() => systemClock, systemClock);

  private now: { readonly settings: Settings; readonly secureElement: SecureElement } | undefined;

  readonly watch: RequestHandler = this.traffic.handler(
    () => undefined,
    () => this.now?.settings.pathSegment,
  );

  private recording: Recording | undefined;

  /** Begins to record into `file`. @throws ConfigError if the file cannot be written */
  start(settings: Settings, file: string, secureElement: SecureElement, failed: (reason: string) => void): void {
    this.now = { settings, secureElement };
    const begins = () => givenOfCard(this.now?.settings ?? settings, (this.now?.secureElement ?? secureElement).state);
    this.recording = new Recording(file, begins, failed);
    this.recording.follow(this.traffic);
    this.followCard(this.recording, secureElement);
  }

  /** Begins another file, because the service restarted with other settings and the same card. */
  restarted(settings: Settings, secureElement: SecureElement): void {
    const { recording } = this;
    if (!recording) return;
    this.now = { settings, secureElement };
    recording.beginAnother();
    this.followCard(recording, secureElement);
  }

  private followCard(recording: Recording, secureElement: SecureElement): void {
    let was = secureElement.state.kind;
    let known = was === "ready";
    secureElement.on("changed", ({ kind }) => {
      // We know the taxpayer only when the first card is ready, so the recording begins again then.
      if (kind === "ready" && !known) recording.begin();
      else if (kind !== was) recording.steps(stepsBetween(was, kind));
      known ||= kind === "ready";
      was = kind;
    });
  }
}

type State = SecureElementState["kind"];

/**
 * Returns steps that bring an emulated card to the new state of the real card. Scenarios have no step for
 * `unsupported`, a card with another protocol.
 */
function stepsBetween(was: State, now: State): WrittenStep[] {
  const before: WrittenStep[] = was === "unreachable" ? [{ faults: "clear" }] : [];
  if (now === "no-card") return [...before, { card: "remove" }];
  if (was === "no-card") before.push({ card: "insert" });
  const broken: WrittenStep[] = [{ card: "reset" }, { faults: [{ on: "connect", kind: "noAnswer" }] }];
  return now === "unreachable" ? [...before, ...broken] : before;
}
