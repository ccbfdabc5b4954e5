/** Erases receipts when their years are over (setting `retentionYears`): once a day, beside the sales. */
import type { Logger } from "pino";
import type { Clock, Timer } from "../clock.js";
import { toIso } from "../fiscal/time.js";
import { Repeater } from "../repeater.js";
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
  private readonly repeater: Repeater;

  constructor(private readonly parts: RetentionParts) {
    const times = { timer: parts.timer, everyMs: DAY_MS, firstAfterMs: FIRST_MS };
    this.repeater = new Repeater(() => this.sweep(), times);
  }

  start(): void {
    this.repeater.start();
  }

  /** The slice at work is finished. */
  stop(): Promise<void> {
    return this.repeater.end();
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
      const erased = await eraser.erase({ before, by: "retentionYears", now, ended: this.repeater.ended });
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
