/** Command 8: the authority's directive for the card. */
import type { SecureElement } from "../secure-element/secure-element.js";
import type { Execution, OnCard } from "./commands.js";

/** Those that were seen have 256. */
const MOST_BYTES = 1_024;

/**
 * @param waits why a directive has to wait, such as for a sale in doubt: it may change the card's limit, and sum and limit may be
 * all that shows whether the card has signed
 */
export function directiveOnCard(
  secureElement: Pick<SecureElement, "directive">,
  waits: (uid: string) => Promise<string | undefined>,
): OnCard {
  return async (uid, bytes): Promise<Execution> => {
    // What does not fit into a command of the card would end its session, PIN included.
    if (bytes.length === 0 || bytes.length > MOST_BYTES) {
      return { execution: "failed", reason: `a directive of ${bytes.length} bytes is none` };
    }
    const reason = await waits(uid);
    if (reason !== undefined) return { execution: "later", reason };
    const told = await secureElement.directive(bytes, uid);
    switch (told.outcome) {
      case "ok":
        return { execution: "done" };
      case "refused":
        return { execution: "failed", reason: `the card refused it: ${told.reason}` };
      case "pin-required":
        return { execution: "later", reason: "the card waits for its PIN" };
      default:
        return { execution: "later", reason: told.reason };
    }
  };
}
