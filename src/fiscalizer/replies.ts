/** Explains to a POS why there is no receipt: what is wrong, and what to do. */
import { LedgerError } from "../ledger/ledger.js";
import type { SecureElementState } from "../secure-element/secure-element.js";
import { FiscalError } from "./fiscal-error.js";
import { pinRefusal } from "./gates.js";
import type { OpenIntent, Reply } from "./protocol/state.js";
import type { WayOut } from "./protocol/way-out.js";
import { storeRefusal } from "./store-health.js";
import { noReceipt } from "./stored-answer.js";

/**
 * @param state state of the card now; if the card or its PIN session is gone, the error has the code of the gates
 * @param repeatable whether the sale has a RequestId
 */
export function replyError(reply: Reply, state: SecureElementState, repeatable: boolean): unknown {
  const code = state.kind === "no-card" ? "1300" : "2220";
  switch (reply.kind) {
    case "refused":
      return reply.why;
    case "not-signed":
      // Another program may have ended the PIN session meanwhile.
      if (state.kind === "ready" && state.pin !== "verified") return pinRefusal(state.pin);
      return FiscalError.of(code, "", `The card did not finish: ${reply.reason}; nothing was signed`);
    case "in-doubt": {
      const again = repeatable ? "Repeat it with the same RequestId" : "Look at the receipts before you post it again";
      const doubt = `We do not know yet whether the card signed this sale (${reply.reason})`;
      if (reply.refused && state.kind === "ready" && state.pin !== "verified") {
        const refusal = pinRefusal(state.pin);
        return FiscalError.of(refusal.code, "", `${refusal.message}. ${doubt}. ${again}`);
      }
      return FiscalError.of(code, "", `${doubt}. ${settlingAdvice(reply.wayOut)}${again}`);
    }
    case "no-receipt":
      return noReceipt(reply.state, reply.totalCounter);
    case "blocked":
      return FiscalError.of("2220", "", blocked(reply.by, reply.wayOut));
    case "ledger-failed":
      return reply.why instanceof LedgerError ? storeRefusal(reply.why, reply.fate, repeatable) : reply.why;
    case "left":
      return FiscalError.of("2220", "", "The connection was closed before the sale was signed");
    default:
      return new Error(`no receipt for ${reply.kind}`);
  }
}

const DECIDE = "decide with tillseal incidents decide";
const TRAINING = "post one Training receipt; its counter decides";

/** What settles a sale that blocks the others. */
const SETTLED_BY: Readonly<Record<WayOut, string>> = {
  pin: `verify the PIN again; if that does not help, ${DECIDE}`,
  card: "put in the card that was asked to sign it, and verify its PIN",
  training: TRAINING,
  person: `the card cannot say it; ${DECIDE}`,
};

const ADVICE: Readonly<Record<WayOut, string>> = {
  pin: "",
  card: "",
  training: `This card cannot say it: ${TRAINING}. `,
  person: `This card cannot say it: ${DECIDE}. `,
};

/** Returns advice for a card that cannot say what it has signed: with such a card, a repeat of the sale settles nothing. */
export function settlingAdvice(wayOut: WayOut): string {
  return ADVICE[wayOut];
}

function blocked({ requestId }: OpenIntent, wayOut: WayOut): string {
  const which = requestId === undefined ? "A sale without RequestId" : `The sale with RequestId ${requestId}`;
  const doubt = `${which} is in doubt: the card may have signed it. Nothing else is signed until that is settled`;
  return `${doubt}: ${SETTLED_BY[wayOut]}`;
}
