/** Executes command 8: the authority's directive for the card. */
import type { SecureElement } from "../secure-element/secure-element.js";
import type { Execution, OnCard } from "./command-execution.js";

/** Maximum size of a directive in bytes. Known directives have 256 bytes. */
const MOST_BYTES = 1_024;

/**
 * @param waits returns the reason if a directive has to wait, for example for a sale in doubt. The card's sum and limit
 *   may be the only values that show whether the card has signed that sale, and a directive may change the limit.
 * @param accepted records that the card has executed a directive @throws LedgerError
 */
export function directiveOnCard(
  secureElement: Pick<SecureElement, "directive">,
  waits: (uid: string) => Promise<string | undefined>,
  accepted: (uid: string) => Promise<unknown>,
): OnCard {
  return async (uid, bytes): Promise<Execution> => {
    // A directive that does not fit into an APDU would end the card's session. The card would then need its PIN again.
    if (bytes.length === 0 || bytes.length > MOST_BYTES) {
      return { kind: "failed", reason: `a directive of ${bytes.length} bytes is not valid` };
    }
    const reason = await waits(uid);
    if (reason !== undefined) return { kind: "later", reason };
    const reply = await secureElement.directive(bytes, uid);
    switch (reply.kind) {
      case "ok":
        await accepted(uid);
        return { kind: "done" };
      case "refused":
        return { kind: "failed", reason: `the card refused it: ${reply.reason}` };
      case "pin-required":
        return { kind: "later", reason: "the card waits for its PIN" };
      default:
        return { kind: "later", reason: reply.reason };
    }
  };
}
