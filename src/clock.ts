/** The time, injected: nothing below the composition root asks the system (design, "Ports"). */
export interface Clock {
  /** ms since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
