/** The faults of time, which can strike every operation: latency and clock jumps. */
import { durationOf } from "../../src/base/duration.js";
import type { EmulatedClock } from "./emulated-clock.js";
import type { Fault } from "./fault.js";
import type { Faults } from "./fault-list.js";

/** Limits of the time that operations of a real card take, ms, as recorded with real cards. */
const CARD_LATENCY = { sign: [500, 1500], other: [40, 120] } as const;

export interface Times {
  readonly faults: Faults;
  readonly clock: EmulatedClock;
  /** Signal that is aborted when the service stops, so that real waits end at once. */
  readonly ended?: AbortSignal;
}

/** A fault of the emulator or of the proxy. */
export type PassingFault = Pick<Fault, "duration" | "upTo"> & { readonly on: string; readonly kind: string };

/** Applies a fault of time; does nothing for other faults. @param ended aborts a real wait */
export async function passTime(
  fault: PassingFault,
  { faults, clock, ended: stops }: Times,
  ended: AbortSignal | undefined = stops,
): Promise<void> {
  if (fault.kind === "latency") await clock.sleep(latency(fault, faults), ended);
  if (fault.kind === "clockJump") clock.advance(msOf(fault));
}

/** Returns the duration of a fault, ms; 0 if the fault has no duration. */
export function msOf({ duration }: PassingFault): number {
  return duration === undefined ? 0 : durationOf(duration);
}

function latency({ on, duration, upTo }: PassingFault, faults: Faults): number {
  if (duration !== undefined) {
    const ms = durationOf(duration);
    return upTo === undefined ? ms : faults.between(ms, durationOf(upTo));
  }
  const [from, to] = on === "sign" ? CARD_LATENCY.sign : CARD_LATENCY.other;
  return faults.between(from, to);
}
