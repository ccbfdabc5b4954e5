/** Records a service with a real card: its traffic, and the card's comings and goings. */
import type { RequestHandler } from "express";
import { systemClock } from "../../src/clock.js";
import type { Settings } from "../../src/config/settings.js";
import type { SecureElement, SecureElementState } from "../../src/secure-element/secure-element.js";
import type { Step } from "../scenario/scenario.js";
import { Journal } from "../world/journal.js";
import { givenOfCard } from "./given-now.js";
import { Recording } from "./recording.js";

export class CardRecorder {
  private readonly journal = new Journal(() => systemClock, systemClock);

  /** Looks at every request. */
  readonly before: RequestHandler = this.journal.handler(() => false);

  /** @throws ConfigError where the file cannot be written */
  start(settings: Settings, file: string, secureElement: SecureElement, failed: (reason: string) => void): void {
    const recording = new Recording(file, () => givenOfCard(settings, secureElement.state), failed);
    recording.follow(this.journal);
    let was = secureElement.state.state;
    let known = was === "ready";
    secureElement.on("changed", ({ state }) => {
      // Before the first card it was not known whose card it is.
      if (state === "ready" && !known) recording.begin();
      else if (state !== was) recording.steps(stepsBetween(was, state));
      known ||= state === "ready";
      was = state;
    });
  }
}

type State = SecureElementState["state"];

/** What makes an emulated card be what the real one became; one of another protocol cannot be shown so. */
function stepsBetween(was: State, now: State): Step[] {
  const before: Step[] = was === "unreachable" ? [{ faults: "clear" }] : [];
  if (now === "no-card") return [...before, { card: "remove" }];
  if (was === "no-card") before.push({ card: "insert" });
  const broken: Step[] = [{ card: "reset" }, { faults: [{ on: "connect", kind: "noAnswer" }] }];
  return now === "unreachable" ? [...before, ...broken] : before;
}
