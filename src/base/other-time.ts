/**
 * The time that another machine gave in this run: a time server, or the tax authority. It advances with the monotonic timer, so
 * setting this machine's clock does not move it.
 */
import type { Clock, Timer } from "./clock.js";

export interface TimeComparison {
  /** For people: the server's address. */
  readonly source: string;
  /** The source's time now, ms since the epoch. */
  readonly now: number;
  /** ms by which this machine's clock is ahead of it now; negative if behind. */
  readonly ahead: number;
}

export class OtherTime {
  private last: { readonly source: string; readonly difference: number } | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly timer: Timer,
  ) {}

  /** @param time of the source at this moment, ms since the epoch */
  note(source: string, time: number): void {
    this.last = { source, difference: time - this.timer.now() };
  }

  /** Undefined if no source has answered in this run. */
  compare(): TimeComparison | undefined {
    if (!this.last) return undefined;
    const { source, difference } = this.last;
    const now = Math.round(this.timer.now() + difference);
    return { source, now, ahead: this.clock.now() - now };
  }
}
