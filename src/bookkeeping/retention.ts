/**
 * Erases receipts once a day, beside the sales, when their years are over (setting `retentionYears`). A clock that is
 * ahead must not erase anything, so the years count from the time of another machine, with which the clock must agree.
 */
import type { EpochMs } from "../base/epoch-ms.js";
import type { TimeComparison } from "../base/other-time.js";
import { type Background, Repeater } from "../base/repeater.js";
import { toIso } from "../fiscal/time.js";
import { isClockOff } from "../state/rules.js";
import type { Eraser } from "./eraser.js";

/** ms after the start until the first run, to keep the start fast. */
const FIRST_MS = 60_000;
const ERASING_INTERVAL_MS = 600_000;
const DAY_MS = 86_400_000;
/** Maximum number of days whose receipts one run erases, so that people can notice a mistake in time. */
const DAYS = 31;

interface RetentionParts extends Background {
  readonly eraser: Eraser;
  readonly years: number;
  /** Returns the last comparison with a time source; undefined if no time source has answered since the start. */
  readonly time: () => TimeComparison | undefined;
  /** Tolerance of the clock in s. */
  readonly clockDrift: number;
}

export class Retention extends Repeater {
  /** The timer's time (ms) before which no run begins. */
  private notBefore = Number.NEGATIVE_INFINITY;
  private obstacle: string | undefined;

  constructor(private readonly parts: RetentionParts) {
    super(() => this.look(), parts.timer, ERASING_INTERVAL_MS, FIRST_MS);
  }

  /** Begins a run if one is due. It never throws: after a failure, the next run is a day later. */
  private async look(): Promise<void> {
    const { time, clockDrift, timer, log } = this.parts;
    if (timer.now() < this.notBefore) return;
    const compared = time();
    const obstacle = obstacleOf(compared, clockDrift);
    if (obstacle !== undefined && obstacle !== this.obstacle) log.warn(`old receipts are not erased: ${obstacle}`);
    this.obstacle = obstacle;
    if (!compared || obstacle !== undefined) return;
    this.notBefore = timer.now() + DAY_MS;
    try {
      await this.sweep(compared.now);
    } catch (error) {
      log.error({ err: error }, "old receipts could not be erased");
    }
  }

  /** Erases receipts whose years are over. @param now time of the other machine */
  private async sweep(now: EpochMs): Promise<void> {
    const { ended } = this;
    const { eraser, years, clock, log, changed } = this.parts;
    const over = yearsBefore(now, years);
    const { oldest } = await eraser.count(over, ended);
    if (oldest === undefined) return;
    const before = Math.min(over, oldest + DAYS * DAY_MS);
    const erased = await eraser.erase({ before, by: "retentionYears", now: clock.now(), ended });
    if (erased === 0) return;
    log.info({ before: toIso(before), erased }, "old receipts were erased");
    if (before < over)
      log.warn(
        { before: toIso(before), until: toIso(over) },
        `only ${DAYS} days were erased; the next run follows in a day`,
      );
    changed();
  }
}

/** Why nothing may be erased, for people; undefined if receipts may be erased. */
function obstacleOf(time: TimeComparison | undefined, clockDrift: number): string | undefined {
  if (!time) return "no time server and no tax authority has given its time since the start";
  if (!isClockOff(time.ahead, clockDrift)) return undefined;
  return `the clock differs from ${time.source} by more than ${clockDrift} s`;
}

export function yearsBefore(now: EpochMs, years: number): EpochMs {
  const before = new Date(now);
  before.setUTCFullYear(before.getUTCFullYear() - years);
  return before.getTime();
}
