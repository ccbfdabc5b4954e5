/** Looks after each sale whether it made an audit due, so that the audit starts within 2 s and not with the next round. */
import type { Logger } from "pino";
import type { Timer } from "../base/clock.js";

/** ms after a sale: the card answers between the sales, and a busy till is not asked more often. */
const DELAY_MS = 500;

export interface DueAuditParts {
  /** Asks the card. Rejects if store or card fail. */
  readonly isDue: () => Promise<boolean>;
  /** Starts a round with the authority now, which starts the audit. */
  readonly wake: () => void;
  readonly timer: Timer;
  /** Aborted when the service ends. */
  readonly ended: AbortSignal;
  readonly log: Logger;
}

export class DueAudit {
  private looking = false;

  constructor(private readonly parts: DueAuditParts) {}

  /** Returns at once. */
  readonly afterSale = (): void => {
    if (!this.looking) void this.look();
  };

  private async look(): Promise<void> {
    const { isDue, wake, timer, ended, log } = this.parts;
    this.looking = true;
    await timer.sleep(DELAY_MS, ended);
    if (ended.aborted) return;
    // From here on, another sale starts another look.
    this.looking = false;
    try {
      if (await isDue()) wake();
    } catch (error) {
      // The next round looks too.
      log.debug({ err: error }, "cannot find out whether an audit is due");
    }
  }
}
