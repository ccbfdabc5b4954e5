/** The refusal of a sale that has no answer at this moment: HTTP 503 with Retry-After and error 2220. */
import { FiscalError } from "./fiscal-error.js";

export class SaleNotReady extends FiscalError {
  /** Returns the refusal while the sale waits or is at work. */
  static unfinished(): SaleNotReady {
    return SaleNotReady.again("The sale is not finished yet");
  }

  /** @param advice a sentence that says how to settle the sale; "" if it is enough to wait */
  static inDoubt(advice: string): SaleNotReady {
    return SaleNotReady.again(`${advice}The card may have signed this sale; we do not know yet`);
  }

  /** Returns the refusal of the last invoice while the outcome of the last sale is unknown. */
  static lastUnknown(): SaleNotReady {
    const message = "The card's last sale is not finished yet, or in doubt: ask again, or repeat it with its RequestId";
    return new SaleNotReady([{ code: "2220", property: "", message }]);
  }

  private static again(message: string): SaleNotReady {
    const again = `${message}: ask again with the same RequestId`;
    return new SaleNotReady([{ code: "2220", property: "RequestId", message: again }]);
  }

  static tooMany(queueLength: number): SaleNotReady {
    const message = `As many sales wait for the card as may wait (${queueLength}): nothing was signed, send the sale again later`;
    return new SaleNotReady([{ code: "2220", property: "", message }]);
  }
}
