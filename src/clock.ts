/** The time, injected: nothing below the composition root asks the system (design, "Ports"). */
import { setTimeout as delay } from "node:timers/promises";

export interface Clock {
  /** ms since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Time that passes, for waits: a clock that is set must not make them longer. */
export interface Timer {
  /** ms since any moment. */
  now(): number;
  /** Resolves when the time is over, or when it is ended. */
  sleep(ms: number, ended?: AbortSignal): Promise<void>;
}

export const systemTimer: Timer = {
  now: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, signal && { signal }).catch(() => undefined),
};
