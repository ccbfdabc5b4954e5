/** Explains to a POS why there is no receipt: what is wrong, and what to do. */
import { LedgerError } from "../ledger/ledger.js";
import type { SecureElementState } from "../secure-element/secure-element.js";
import { FiscalError } from "./fiscal-error.js";
import { pinRefusal } from "./gates.js";
import type { OpenIntent, Reply } from "./protocol/state.js";
import type { WayOut } from "./protocol/way-out.js";
import { storeRefusal } from "./store-health.js";
import { noReceipt } from "./stored-answer.js";

/** What an error says besides its reply: the state of the card now, and whether the sale has a RequestId. */
interface Situation {
  readonly state: SecureElementState;
  readonly repeatable: boolean;
}

const cardCode = ({ state }: Situation) => (state.kind === "no-card" ? "1300" : "2220");
/** The refusal for a session that has ended: another program may have ended it meanwhile. */
const pinOf = ({ state }: Situation) =>
  state.kind === "ready" && state.pin !== "verified" ? pinRefusal(state.pin) : undefined;
const noError = ({ kind }: Reply) => new Error(`no receipt for ${kind}`);

const ERRORS = {
  refused: ({ why }) => why,
  "not-signed": ({ reason }, situation) =>
    pinOf(situation) ??
    FiscalError.of(cardCode(situation), "", `The card did not finish: ${reason}; nothing was signed`),
  "in-doubt": ({ reason, wayOut, refused }, situation) => {
    const again = situation.repeatable
      ? "Repeat it with the same RequestId"
      : "Look at the receipts before you post it again";
    const doubt = `We do not know yet whether the card signed this sale (${reason})`;
    const refusal = refused ? pinOf(situation) : undefined;
    if (refusal) return FiscalError.of(refusal.code, "", `${refusal.message}. ${doubt}. ${again}`);
    return FiscalError.of(cardCode(situation), "", `${doubt}. ${SETTLING_ADVICE[wayOut]}${again}`);
  },
  "no-receipt": ({ state, totalCounter }) => noReceipt(state, totalCounter),
  blocked: ({ by, wayOut }) => FiscalError.of("2220", "", blocked(by, wayOut)),
  "ledger-failed": ({ why, fate }, { repeatable }) =>
    why instanceof LedgerError ? storeRefusal(why, fate, repeatable) : why,
  left: () => FiscalError.of("2220", "", "The connection was closed before the sale was signed"),
  answer: noError,
  stored: noError,
  decided: noError,
  "nothing-to-decide": noError,
  audited: noError,
  "key-used": noError,
  "not-audited": noError,
} satisfies { [K in Reply["kind"]]: (reply: Extract<Reply, { kind: K }>, situation: Situation) => unknown };

/** @returns the error; if the card or its PIN session is gone, with the code of the gates */
export function replyError(reply: Reply, state: SecureElementState, repeatable: boolean): unknown {
  const errorOf = ERRORS[reply.kind] as (reply: Reply, situation: Situation) => unknown;
  return errorOf(reply, { state, repeatable });
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

/** Advice for a card that cannot say what it has signed: with such a card, a repeat of the sale settles nothing. */
export const SETTLING_ADVICE: Readonly<Record<WayOut, string>> = {
  pin: "",
  card: "",
  training: `This card cannot say it: ${TRAINING}. `,
  person: `This card cannot say it: ${DECIDE}. `,
};

function blocked({ requestId }: OpenIntent, wayOut: WayOut): string {
  const which = requestId === undefined ? "A sale without RequestId" : `The sale with RequestId ${requestId}`;
  const doubt = `${which} is in doubt: the card may have signed it. Nothing else is signed until that is settled`;
  return `${doubt}: ${SETTLED_BY[wayOut]}`;
}
