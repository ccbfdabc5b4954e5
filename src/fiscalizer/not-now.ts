/** The sale cannot be answered at this moment: HTTP 503 with Retry-After and 2220. */
import { FiscalError } from "./fiscal-error.js";

/** Seconds; a card takes less than one for a signature. */
const RETRY_AFTER_S = 1;

export class NotNow extends FiscalError {
  /** Seconds after which asking again makes sense. */
  readonly retryAfter = RETRY_AFTER_S;

  /** The sale waits or is at work. */
  static unfinished(): NotNow {
    return NotNow.again("The sale is not finished yet");
  }

  /** @param wayOn a sentence: what else than time settles it; "" if nothing else is needed */
  static inDoubt(wayOn: string): NotNow {
    return NotNow.again(`${wayOn}The card may have signed this sale; we do not know yet`);
  }

  private static again(message: string): NotNow {
    const advice = `${message}: ask again with the same RequestId`;
    return new NotNow([{ code: "2220", property: "RequestId", message: advice }]);
  }

  static tooMany(queueLength: number): NotNow {
    const message = `As many sales wait for the card as may wait (${queueLength}): nothing was signed, send the sale again later`;
    return new NotNow([{ code: "2220", property: "", message }]);
  }
}
