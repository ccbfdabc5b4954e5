/** The clock for faults, which moves only when a fault moves it. */

import { EmulatedClock } from "../../emulator/faults/emulated-clock.js";
import { Faults } from "../../emulator/faults/fault-list.js";
import type { Times } from "../../emulator/faults/passing-time.js";
import { SeededRandom } from "../../emulator/pki/random.js";
import { systemClock } from "../../src/base/clock.js";

const NOON = Date.UTC(2026, 2, 1, 12);

export function standingTimes(): Times {
  return {
    faults: new Faults(new SeededRandom("faults")),
    clock: new EmulatedClock(systemClock, { at: NOON, ticking: false }),
  };
}
