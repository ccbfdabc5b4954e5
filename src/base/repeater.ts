/** Repeats a task from time to time until the service ends: one run after the other, never two at once. */
import type { Logger } from "pino";
import type { Clock, Timer } from "./clock.js";

export interface Background {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly log: Logger;
  /** Called when what the part says to people has changed. */
  readonly changed: () => void;
}

export class Repeater {
  private readonly ending = new AbortController();
  private awake = new AbortController();
  private running: Promise<void> = Promise.resolve();

  /**
   * @param task handles its own errors: it must not reject
   * @param everyMs ms between the end of a run and the next one
   * @param firstAfterMs ms before the first run
   */
  constructor(
    private readonly task: () => Promise<void>,
    private readonly timer: Timer,
    private readonly everyMs: number,
    private readonly firstAfterMs = 0,
  ) {}

  get ended(): AbortSignal {
    return this.ending.signal;
  }

  /** Starts to repeat the task; does nothing after {@link stop}. */
  start(): void {
    if (!this.ended.aborted) this.running = this.run();
  }

  /** Begins the next run now, or after the current run if the task is running. */
  readonly runNow = (): void => {
    this.awake.abort();
  };

  /** Prevents further runs. Resolves when the current run is over. */
  stop(): Promise<void> {
    this.ending.abort();
    return this.running;
  }

  private async run(): Promise<void> {
    if (this.firstAfterMs > 0) await this.wait(this.firstAfterMs);
    while (!this.ended.aborted) {
      this.awake = new AbortController();
      await this.task();
      await this.wait(this.everyMs);
    }
  }

  private wait(ms: number): Promise<void> {
    return this.timer.sleep(ms, AbortSignal.any([this.ended, this.awake.signal]));
  }
}
