/** The service asks the system for the time only here, so that tests and the emulator can set it. */

import { setTimeout as delay } from "node:timers/promises";
import type { EpochMs } from "./epoch-ms.js";

export interface Clock {
  now(): EpochMs;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A monotonic timer for waits, because a change of the system's clock must not make a wait longer. */
export interface Timer {
  /** ms since an arbitrary moment. */
  now(): number;
  /** Resolves after `ms`, or when `ended` aborts. */
  sleep(ms: number, ended?: AbortSignal): Promise<void>;
}

export const systemTimer: Timer = {
  now: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal && { signal }).catch(() => undefined),
};
