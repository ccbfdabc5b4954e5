/** The sale cannot be answered at this moment: HTTP 503 with Retry-After and 2220. */
import { FiscalError } from "./fiscal-error.js";

/** Seconds; a card takes less than one for a signature. */
const RETRY_AFTER_S = 1;

export class NotNow extends FiscalError {
  /** Seconds after which asking again makes sense. */
  readonly retryAfter = RETRY_AFTER_S;

  /** The sale waits, is at work or is in doubt. */
  static unfinished(message: string): NotNow {
    const advice = `${message}: ask again with the same RequestId`;
    return new NotNow([{ code: "2220", property: "RequestId", message: advice }]);
  }

  static tooMany(queueLength: number): NotNow {
    const message = `${queueLength} sales are waiting for the card already: nothing was signed, send the sale again later`;
    return new NotNow([{ code: "2220", property: "", message }]);
  }
}
