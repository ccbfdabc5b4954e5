/**
 * The time that another machine gave in this run: a time server, or the tax authority. The time advances with the
 * monotonic timer, so a change of this machine's clock does not move it.
 */

import type { Clock, Timer } from "./clock.js";
import type { EpochMs } from "./epoch-ms.js";

export interface TimeComparison {
  /** The server's address, to show to people. */
  readonly source: string;
  /** The source's time now. */
  readonly now: EpochMs;
  /** ms by which this machine's clock is ahead of the source's time now; negative if the clock is behind. */
  readonly ahead: number;
}

export class OtherTime {
  private last: { readonly source: string; readonly difference: number } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly timer: Timer,
  ) {}

  note(source: string, time: EpochMs): void {
    this.last = { source, difference: time - this.timer.now() };
  }

  /** Compares this machine's clock with the last source; undefined if no source has answered in this run. */
  compare(): TimeComparison | undefined {
    if (!this.last) return undefined;
    const { source, difference } = this.last;
    const now = Math.round(this.timer.now() + difference);
    return { source, now, ahead: this.clock.now() - now };
  }
}
