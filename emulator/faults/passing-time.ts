/** Faults of time, which strike everything: an operation that takes long, and a clock that jumps. */
import { durationOf } from "../../src/duration.js";
import type { EmulatedClock } from "../world/emulated-clock.js";
import type { Fault } from "./fault.js";
import type { Faults } from "./faults.js";

/** ms: a signature of a real card, as recorded in the field. */
const CARD_LATENCY = { sign: [500, 1500], other: [40, 120] } as const;

export interface Times {
  readonly faults: Faults;
  readonly clock: EmulatedClock;
  /** The service stops: real waits end at once. */
  readonly ended?: AbortSignal;
}

/** @param ended ends a real wait sooner */
export async function passTime(
  fault: Fault,
  { faults, clock, ended: stops }: Times,
  ended: AbortSignal | undefined = stops,
): Promise<void> {
  if (fault.kind === "latency") await clock.sleep(latency(fault, faults), ended);
  if (fault.kind === "clockJump") clock.advance(msOf(fault));
}

/** ms of its duration. */
export function msOf({ duration }: Fault): number {
  return duration === undefined ? 0 : durationOf(duration);
}

function latency({ on, duration, upTo }: Fault, faults: Faults): number {
  if (duration !== undefined) {
    const ms = durationOf(duration);
    return upTo === undefined ? ms : faults.between(ms, durationOf(upTo));
  }
  const [from, to] = on === "sign" ? CARD_LATENCY.sign : CARD_LATENCY.other;
  return faults.between(from, to);
}
