/** How scenarios, the control interface and the kit set the time. */
import { durationOf } from "../../src/base/duration.js";
import { parseTime, toIso } from "../../src/fiscal/time.js";
import { PatchError } from "../endpoint/patch-error.js";
import { EARLIEST, type EmulatedClock, LATEST } from "../faults/emulated-clock.js";

export interface ClockPatch {
  /** ISO 8601. */
  readonly at?: string;
  /** `1h30m`, or `-5m` for backwards; after `at`. */
  readonly advance?: string;
  readonly ticking?: boolean;
}

/** @throws PatchError if the time is outside of what a card can sign */
export function patchClock(clock: EmulatedClock, { at, advance, ticking }: ClockPatch): void {
  const time =
    (at === undefined ? clock.now() : (parseTime(at) ?? 0)) + (advance === undefined ? 0 : durationOf(advance));
  if (time < EARLIEST || time > LATEST) {
    throw new PatchError(`The clock goes from ${toIso(EARLIEST)} to ${toIso(LATEST)}`);
  }
  // Freeze before the time is set: a ticking clock would move on after that.
  if (ticking === false) clock.freeze();
  if (at !== undefined || advance !== undefined) clock.set(time);
  if (ticking === true) clock.tick();
}
