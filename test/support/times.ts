/** The clock for faults, which moves only when a fault moves it. */
import { Faults } from "../../emulator/faults/faults.js";
import type { Times } from "../../emulator/faults/passing-time.js";
import { SeededRandom } from "../../emulator/random.js";
import { EmulatedClock } from "../../emulator/world/emulated-clock.js";
import { systemClock } from "../../src/clock.js";

const NOON = Date.UTC(2026, 2, 1, 12);

export function standingTimes(): Times {
  return {
    faults: new Faults(new SeededRandom("faults")),
    clock: new EmulatedClock(systemClock, { at: NOON, ticking: false }),
  };
}
