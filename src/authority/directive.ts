/** Command 8: the authority's directive for the card. */
import type { SecureElement } from "../secure-element/secure-element.js";
import type { Execution, OnCard } from "./commands.js";

/**
 * @param waits why a directive has to wait, such as for a sale in doubt: it may change the card's limit, and sum and limit may be
 * all that shows whether the card has signed
 */
export function directiveOnCard(
  secureElement: Pick<SecureElement, "directive">,
  waits: (uid: string) => Promise<string | undefined>,
): OnCard {
  return async (uid, bytes): Promise<Execution> => {
    const reason = await waits(uid);
    if (reason !== undefined) return { execution: "later", reason };
    const told = await secureElement.directive(bytes, uid);
    switch (told.outcome) {
      case "told":
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
