/** Erases receipts when their years are over (setting `retentionYears`): once a day, beside the sales. */
import type { Logger } from "pino";
import type { Clock, Timer } from "../clock.js";
import { toIso } from "../fiscal/time.js";
import type { ClockCheck } from "../time-server/time-watch.js";
import type { Eraser } from "./eraser.js";

/** ms after the start: a service that starts has other things to do. */
const FIRST_MS = 60_000;
const DAY_MS = 86_400_000;

export interface RetentionParts {
  readonly eraser: Eraser;
  /** Receipts are kept for so many years. */
  readonly years: number;
  /** ISO 8601, UTC: of the newest receipt that a proof of audit covers; undefined without one. */
  readonly newestProven: () => string | undefined;
  readonly clockCheck: () => ClockCheck | undefined;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Logger;
  readonly changed: () => void;
}

export class Retention {
  private readonly end = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly parts: RetentionParts) {}

  start(): void {
    if (!this.end.signal.aborted) this.running = this.watch();
  }

  /** The slice at work is finished. */
  async stop(): Promise<void> {
    this.end.abort();
    await this.running;
  }

  private async watch(): Promise<void> {
    const { timer } = this.parts;
    await timer.sleep(FIRST_MS, this.end.signal);
    while (!this.end.signal.aborted) {
      await this.sweep();
      await timer.sleep(DAY_MS, this.end.signal);
    }
  }

  /** Never throws: it is tried again the next day. */
  async sweep(): Promise<void> {
    const { eraser, years, newestProven, clockCheck, clock, log, changed } = this.parts;
    try {
      const proven = newestProven();
      if (proven === undefined) return;
      if (clockCheck()?.off) {
        log.warn("receipts whose years are over stay: the clock differs from the time server");
        return;
      }
      const now = clock.now();
      const before = yearsBefore(now, proven, years);
      const erased = await eraser.erase({ before, by: "retentionYears", now, ended: this.end.signal });
      if (erased === 0) return;
      log.info({ before, erased }, "receipts erased, their years are over");
      changed();
    } catch (error) {
      log.error({ err: error }, "receipts whose years are over could not be erased");
    }
  }
}

/**
 * A clock that is years ahead must not erase what is young: the years count back from the newest receipt that is proven, where
 * that is older than now.
 * @param now ms since the epoch @param proven ISO 8601, UTC
 */
export function yearsBefore(now: number, proven: string, years: number): string {
  const before = new Date(Math.min(now, Date.parse(proven)));
  before.setUTCFullYear(before.getUTCFullYear() - years);
  return toIso(before.getTime());
}
