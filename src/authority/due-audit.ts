/** Checks after each sale whether an audit is due, so that the audit starts within 2 s and not with the next round. */
import type { Logger } from "pino";
import type { Timer } from "../base/clock.js";

/** ms to wait after a sale. The card is then asked between two sales, and at a busy till not more often than this. */
const DELAY_MS = 500;

export interface DueAuditParts {
  /** Asks the card whether an audit is due. Rejects if the store or the card fails. */
  readonly isDue: () => Promise<boolean>;
  /** Starts a round with the authority now. The round starts the audit. */
  readonly wake: () => void;
  readonly timer: Timer;
  /** Aborted when the service ends. */
  readonly ended: AbortSignal;
  readonly log: Logger;
}

export class DueAudit {
  private looking = false;

  constructor(private readonly parts: DueAuditParts) {}

  /** Starts a check in the background, unless one is already waiting to begin. */
  readonly afterSale = (): void => {
    if (!this.looking) void this.look();
  };

  private async look(): Promise<void> {
    const { isDue, wake, timer, ended, log } = this.parts;
    this.looking = true;
    await timer.sleep(DELAY_MS, ended);
    if (ended.aborted) return;
    // From here on, another sale starts another check.
    this.looking = false;
    try {
      if (await isDue()) wake();
    } catch (error) {
      // Only log this: the next round also checks whether an audit is due.
      log.debug({ err: error }, "cannot find out whether an audit is due");
    }
  }
}
