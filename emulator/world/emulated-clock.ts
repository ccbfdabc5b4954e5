/** A clock that can be set, frozen and moved; waiting on it costs no real time unless that is asked for. */
import { type Clock, systemTimer, type Timer } from "../../src/clock.js";

/** ms; the card's time is unsigned (protocol facts, section 2), and dates are printed with four digits of the year. */
export const EARLIEST = 0;
export const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
/** ms; the system's timers take no more. */
const LONGEST_SLEEP = 2 ** 31 - 1;

export interface ClockState {
  /** ms since the epoch. */
  readonly now: number;
  readonly ticking: boolean;
}

export interface ClockOptions {
  /** ms since the epoch. Default: the system's time. */
  readonly at?: number | undefined;
  /** Whether it ticks. */
  readonly ticking?: boolean | undefined;
  /** Whether {@link EmulatedClock.sleep} really waits. */
  readonly realTime?: boolean | undefined;
}

export class EmulatedClock implements Clock, Timer {
  /** What the clock showed at {@link since}. */
  private shown: number;
  /** The system's time, ms, from which a ticking clock counts on; undefined while it is frozen. */
  private since: number | undefined;
  private readonly realTime: boolean;
  /** Those who wait for a time: they look again. */
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

  /** @param ms since the epoch */
  set(ms: number): void {
    this.shown = ms;
    if (this.since !== undefined) this.since = this.system.now();
    this.moved();
  }

  /** @param ms forwards, or backwards where negative */
  advance(ms: number): void {
    this.set(this.now() + ms);
  }

  freeze(): void {
    this.shown = this.now();
    this.since = undefined;
  }

  tick(): void {
    this.shown = this.now();
    this.since = this.system.now();
    this.moved();
  }

  get state(): ClockState {
    return { now: this.now(), ticking: this.since !== undefined };
  }

  restore({ now, ticking }: ClockState): void {
    this.shown = now;
    this.since = ticking ? this.system.now() : undefined;
    this.moved();
  }

  /** Resolves when this clock shows a time, because it has ticked or was set, or when the wait is ended. @param at ms since the epoch */
  async until(at: number, ended?: AbortSignal): Promise<void> {
    while (!ended?.aborted && this.now() < at) {
      const move = new AbortController();
      const look = () => move.abort();
      this.waiting.add(look);
      const left = this.since === undefined ? LONGEST_SLEEP : Math.min(at - this.now(), LONGEST_SLEEP);
      await systemTimer.sleep(left, ended ? AbortSignal.any([move.signal, ended]) : move.signal);
      this.waiting.delete(look);
    }
  }

  private moved(): void {
    for (const look of this.waiting) look();
  }

  /** Time passes: on this clock at once, or for everybody where time is real. */
  async sleep(ms: number, ended?: AbortSignal): Promise<void> {
    const taken = Math.min(Math.max(ms, 0), LONGEST_SLEEP);
    if (this.realTime) await systemTimer.sleep(taken, ended);
    else this.advance(taken);
  }
}

/** For what waits beside selling: the emulated time passes without it. */
export function waitingTimer(clock: EmulatedClock): Timer {
  return { now: () => clock.now(), sleep: (ms, ended) => clock.until(clock.now() + ms, ended) };
}
