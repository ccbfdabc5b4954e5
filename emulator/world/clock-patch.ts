/** Sets the clock for scenarios, the control interface and the kit. */
import { durationOf } from "../../src/base/duration.js";
import { parseTime, toIso } from "../../src/fiscal/time.js";
import { EARLIEST, type EmulatedClock, LATEST } from "../faults/emulated-clock.js";
import { PatchError } from "../tax-authority/endpoint/patch-error.js";

export interface ClockPatch {
  /** The new time, ISO 8601. */
  readonly at?: string;
  /** Duration by which the clock moves after `at` is set, such as `1h30m`, or `-5m` to move it back. */
  readonly advance?: string;
  readonly ticking?: boolean;
}

/** Changes the clock. @throws PatchError if the new time is outside of the times that a card can sign */
export function patchClock(clock: EmulatedClock, { at, advance, ticking }: ClockPatch): void {
  const time =
    (at === undefined ? clock.now() : (parseTime(at) ?? 0)) + (advance === undefined ? 0 : durationOf(advance));
  if (time < EARLIEST || time > LATEST) {
    throw new PatchError(`The clock goes from ${toIso(EARLIEST)} to ${toIso(LATEST)}`);
  }
  // Freeze the clock before its time is set, because a ticking clock would move on after that.
  if (ticking === false) clock.freeze();
  if (at !== undefined || advance !== undefined) clock.set(time);
  if (ticking === true) clock.tick();
}
