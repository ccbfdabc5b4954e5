/** A clock that can be set, frozen and moved. Waiting on it takes no real time, unless the option `realTime` is set. */

import { type Clock, systemTimer, type Timer } from "../../src/base/clock.js";
import type { EpochMs } from "../../src/base/epoch-ms.js";

/** The card's time is unsigned (protocol facts, section 2), and receipts print the year with four digits. */
export const EARLIEST = 0;
export const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** Longest wait of the system's timers, ms. */
const LONGEST_SLEEP = 2 ** 31 - 1;

export interface ClockState {
  readonly now: EpochMs;
  readonly ticking: boolean;
}

export interface ClockOptions {
  /** Default: the system's time. */
  readonly at?: EpochMs | undefined;
  readonly ticking?: boolean | undefined;
  /** Whether {@link EmulatedClock.sleep} really waits. */
  readonly realTime?: boolean | undefined;
}

export class EmulatedClock implements Clock, Timer {
  /** Time that this clock showed at {@link since}. */
  private shown: EpochMs;
  /** The system's time (ms) at which this clock showed {@link shown}; undefined while this clock is frozen. */
  private since: number | undefined;
  private readonly realTime: boolean;
  /** Functions that wake the waits of {@link until}, so that each wait compares the time again. */
  private readonly waiting = new Set<() => void>();

  constructor(
    private readonly system: Clock,
    { at, ticking = true, realTime = false }: ClockOptions = {},
  ) {
    this.shown = at ?? system.now();
    this.since = ticking ? system.now() : undefined;
    this.realTime = realTime;
  }

  now(): number {
    const now = this.since === undefined ? this.shown : this.shown + this.system.now() - this.since;
    return Math.min(Math.max(now, EARLIEST), LATEST);
  }

  set(time: EpochMs): void {
    this.restore({ now: time, ticking: this.state.ticking });
  }

  /** Moves the clock. @param ms a negative number moves the clock back */
  advance(ms: number): void {
    this.set(this.now() + ms);
  }

  freeze(): void {
    this.restore({ now: this.now(), ticking: false });
  }

  tick(): void {
    this.restore({ now: this.now(), ticking: true });
  }

  get state(): ClockState {
    return { now: this.now(), ticking: this.since !== undefined };
  }

  restore({ now, ticking }: ClockState): void {
    this.shown = now;
    this.since = ticking ? this.system.now() : undefined;
    for (const wake of this.waiting) wake();
  }

  /** Resolves when this clock shows the time `at`, because it ticked or was set, or when `ended` aborts. */
  async until(at: EpochMs, ended?: AbortSignal): Promise<void> {
    while (!ended?.aborted && this.now() < at) {
      const move = new AbortController();
      const wake = () => move.abort();
      this.waiting.add(wake);
      const left = this.since === undefined ? LONGEST_SLEEP : Math.min(at - this.now(), LONGEST_SLEEP);
      await systemTimer.sleep(left, ended ? AbortSignal.any([move.signal, ended]) : move.signal);
      this.waiting.delete(wake);
    }
  }

  /** Moves this clock forward at once. If `realTime` is set, really waits instead. */
  async sleep(ms: number, ended?: AbortSignal): Promise<void> {
    const taken = Math.min(Math.max(ms, 0), LONGEST_SLEEP);
    if (this.realTime) await systemTimer.sleep(taken, ended);
    else this.advance(taken);
  }
}

/** For work beside the sales: waits until the emulated time has passed, and does not move the clock. */
export function waitingTimer(clock: EmulatedClock): Timer {
  return { now: () => clock.now(), sleep: (ms, ended) => clock.until(clock.now() + ms, ended) };
}
