/** Erases receipts when their years are over (setting `retentionYears`): once a day, beside the sales. */
import type { Logger } from "pino";
import type { Clock, Timer } from "../base/clock.js";
import { Repeater } from "../base/repeater.js";
import { toIso } from "../fiscal/time.js";
import type { ClockCheck } from "../state/time-watch.js";
import type { Eraser } from "./eraser.js";

/** ms after the start until the first run, to keep the start fast. */
const FIRST_MS = 60_000;
const DAY_MS = 86_400_000;

export interface RetentionParts {
  readonly eraser: Eraser;
  /** Number of years for which receipts are kept. */
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

  /** Finishes the current slice. */
  stop(): Promise<void> {
    return this.repeater.end();
  }

  /** Never throws: a failure is tried again the next day. */
  async sweep(): Promise<void> {
    const { eraser, years, newestProven, clockCheck, clock, log, changed } = this.parts;
    try {
      const proven = newestProven();
      if (proven === undefined) return;
      if (clockCheck()?.off) {
        log.warn("old receipts are not erased, because the clock differs from the time server");
        return;
      }
      const now = clock.now();
      const before = yearsBefore(now, proven, years);
      const erased = await eraser.erase({ before, by: "retentionYears", now, ended: this.repeater.ended });
      if (erased === 0) return;
      log.info({ before, erased }, "old receipts were erased");
      changed();
    } catch (error) {
      log.error({ err: error }, "old receipts could not be erased");
    }
  }
}

/**
 * The time before which receipts are erased. A clock that is years ahead must not erase new receipts, so the years
 * count back from the newest proven receipt if that is older than now.
 * @param now ms since the epoch @param proven ISO 8601, UTC
 */
export function yearsBefore(now: number, proven: string, years: number): string {
  const before = new Date(Math.min(now, Date.parse(proven)));
  before.setUTCFullYear(before.getUTCFullYear() - years);
  return toIso(before.getTime());
}
