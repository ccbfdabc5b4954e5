/** Measures from time to time how far the clock is from the time server's, for status, console and log. */
import type { Logger } from "pino";
import type { Clock, Timer } from "../clock.js";
import { isClockOff } from "../health/rules.js";
import { Repeater } from "../repeater.js";
import { waitAtMost } from "../wait-at-most.js";
import { type AskTime, measureDrift } from "./drift.js";

/** ms between two looks at which server is configured. */
const LOOK_MS = 60_000;
/** ms after which a drift is measured anew. */
const AGAIN_MS = 3_600_000;
/** ms after an attempt that failed. */
const RETRY_MS = 600_000;
/** ms for which the end of the service waits. */
const END_MS = 100;

export interface ClockCheck {
  readonly server: string;
  /** ms by which the clock is ahead; negative where it is behind; undefined where the server was never reached. */
  readonly ahead: number | undefined;
  /** Why the last attempt failed. */
  readonly problem: string | undefined;
  /** Whether the clock is further from the server's than it may be. */
  readonly off: boolean;
}

export interface TimeWatchParts {
  /** Address of the server that is configured now; undefined where none is. */
  readonly server: () => string | undefined;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ask: AskTime;
  /** s by which the clock may be off; at least 1 counts. */
  readonly clockDrift: number;
  readonly log: Logger;
  readonly changed: () => void;
}

export class TimeWatch {
  private last: ClockCheck | undefined;
  /** On the timer: ms. */
  private next = 0;
  private readonly repeater: Repeater;

  constructor(private readonly parts: TimeWatchParts) {
    this.repeater = new Repeater(() => this.lookOnce(), { timer: parts.timer, everyMs: LOOK_MS });
  }

  /** What was found last of the server that is configured now. */
  get check(): ClockCheck | undefined {
    return this.last?.server === this.parts.server() ? this.last : undefined;
  }

  start(): void {
    this.repeater.start();
  }

  /** Another server may be configured. */
  readonly look = (): void => {
    this.repeater.runNow();
  };

  /** Does not wait for a server that does not answer. */
  async stop(): Promise<void> {
    await waitAtMost(END_MS, this.repeater.end());
  }

  private async lookOnce(): Promise<void> {
    const server = this.parts.server();
    if (server === undefined) return;
    if (server !== this.last?.server || this.parts.timer.now() >= this.next) await this.measure(server);
  }

  private async measure(server: string): Promise<void> {
    const { clock, timer, ask, clockDrift, log, changed } = this.parts;
    const before = this.check;
    try {
      const ahead = await measureDrift(server, clock, ask);
      const off = isClockOff(ahead, clockDrift);
      this.last = { server, ahead, problem: undefined, off };
      if (off && !before?.off) log.warn({ server, ahead }, "the clock differs from the time server's: set it");
      this.next = timer.now() + AGAIN_MS;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      // What was measured before still says something.
      this.last = { server, ahead: before?.ahead, problem, off: before?.off ?? false };
      if (problem !== before?.problem) log.warn({ err: error, server }, "the time server cannot be asked");
      this.next = timer.now() + RETRY_MS;
    }
    changed();
  }
}
