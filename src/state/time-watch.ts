/** Regularly measures the difference between the clock and the time server, for status, console and log. */
import type { EpochMs } from "../base/epoch-ms.js";
import { type Background, Repeater } from "../base/repeater.js";
import { messageOf } from "../base/thrown.js";
import { waitAtMost } from "../base/wait-at-most.js";
import { isClockOff } from "./rules.js";
import { type AskTime, measureDrift } from "./sntp.js";

const TIME_CHECK_INTERVAL_MS = 60_000;
const MEASUREMENT_INTERVAL_MS = 3_600_000;
const INTERVAL_AFTER_FAILURE_MS = 600_000;
/** ms by which the clock must leave the timer within a minute before we measure at once. */
const SET_MS = 1_000;
/** The end of the service waits so long for a running measurement. */
const STOP_LIMIT_MS = 100;

export interface ClockCheck {
  readonly server: string;
  /** ms by which the clock is ahead; negative if it is behind; undefined if the server was never reached. */
  readonly ahead: number | undefined;
  /** When the last attempt ended. */
  readonly at: EpochMs;
  /** Why the last attempt failed; undefined if it did not fail. */
  readonly problem: string | undefined;
  /** Whether the difference exceeds the tolerance. */
  readonly off: boolean;
}

interface TimeWatchParts extends Background {
  /** Address of the configured server; undefined if there is none. */
  readonly server: () => string | undefined;
  readonly ask: AskTime;
  /** Tolerance in s; at least 1. */
  readonly clockDrift: number;
  readonly measured: (server: string, time: EpochMs) => void;
}

export class TimeWatch extends Repeater {
  private last: ClockCheck | undefined;
  /** The timer's time (ms) of the next measurement. */
  private next = 0;
  /** The timer's time (ms) of the last measurement. */
  private measuredAt = Number.NEGATIVE_INFINITY;
  /** How far the clock is ahead of the timer (ms): another difference means that somebody has set the clock. */
  private offset = 0;

  constructor(private readonly parts: TimeWatchParts) {
    super(() => this.lookOnce(), parts.timer, TIME_CHECK_INTERVAL_MS);
  }

  /** The last result for the configured server; undefined before the first result. */
  get check(): ClockCheck | undefined {
    return this.last?.server === this.parts.server() ? this.last : undefined;
  }

  /** Measures again if the last result is older than a minute, and resolves when the result is known. */
  readonly refresh = (): Promise<void> => this.lookOnce(TIME_CHECK_INTERVAL_MS);

  /** Stops the measurements. It does not wait for a silent server. */
  override async stop(): Promise<void> {
    await waitAtMost(STOP_LIMIT_MS, super.stop());
  }

  /** @param oldest ms after which a result is too old */
  private async lookOnce(oldest = Number.POSITIVE_INFINITY): Promise<void> {
    const server = this.parts.server();
    if (server === undefined) return;
    const { clock, timer } = this.parts;
    const offset = clock.now() - timer.now();
    const wasSet = Math.abs(offset - this.offset) > SET_MS;
    this.offset = offset;
    const isDue = timer.now() >= this.next || timer.now() - this.measuredAt >= oldest;
    if (wasSet || server !== this.last?.server || isDue) await this.measure(server);
  }

  private async measure(server: string): Promise<void> {
    const { clock, timer, ask, clockDrift, measured, log, changed } = this.parts;
    const before = this.check;
    try {
      const ahead = await measureDrift(server, clock, ask);
      measured(server, clock.now() - ahead);
      const off = isClockOff(ahead, clockDrift);
      this.last = { server, ahead, problem: undefined, off, at: clock.now() };
      this.next = timer.now() + MEASUREMENT_INTERVAL_MS;
    } catch (error) {
      const problem = messageOf(error);
      // Keep the result of the last measurement.
      this.last = { server, ahead: before?.ahead, problem, off: before?.off ?? false, at: clock.now() };
      if (problem !== before?.problem) log.warn({ err: error, server }, "the time server cannot be reached");
      this.next = timer.now() + INTERVAL_AFTER_FAILURE_MS;
    }
    this.measuredAt = timer.now();
    changed();
  }
}
