/**
 * The protocol of the sale: what happens next. Pure: the same state and event give the same state and effects.
 * One thing is under way at a time, and each effect but `reply` is answered by one event.
 */
import { settleByAmounts } from "./amounts.js";
import { askForAudit, auditNotStarted, auditStarted, proofAnswered, putProof } from "./audit.js";
import { cardRead, compare, lastInvoiceRead, settled, writeSettled } from "./comparison.js";
import { cardOf, finish, hungUp, type Step } from "./finish.js";
import { decide, decided, next, stillHeld, writeHeld } from "./queue.js";
import {
  answerWritten,
  appletLost,
  failed,
  inDoubt,
  intentWritten,
  lookedUp,
  lookUp,
  signed,
  unknown,
  withdraw,
  withdrawn,
  writeIntent,
} from "./sale.js";
import type { Event, State } from "./state.js";

/** @throws Error if the event does not fit the state */
export function step(state: State, event: Event): Step {
  return advance(onEvent(state, event));
}

/** When one thing has ended, starts the next. */
function advance([state, effects]: Step): Step {
  const { doing } = state.doing;
  const begun = doing === "nothing" ? next(state) : doing === "compared" ? continueAfterComparison(state) : undefined;
  return begun ? advance([begun[0], [...effects, ...begun[1]]]) : [state, effects];
}

/** Card and ledger have been compared: goes on with the sale or audit at work. */
function continueAfterComparison(state: State): Step {
  return state.audit ? askForAudit(state, state.audit) : lookUp(state);
}

function onEvent(state: State, event: Event): Step {
  switch (event.event) {
    case "posted":
      return [{ ...state, queue: [...state.queue, event.sale] }, []];
    case "left":
      return hungUp(state, event.key);
    case "card-ready":
      return [{ ...state, toCompare: { uid: event.uid, session: event.session } }, []];
    case "decided":
      return [{ ...state, decisions: [...state.decisions, event.decision] }, []];
    case "audit":
      return [{ ...state, audits: [...state.audits, event.audit] }, []];
    case "write-held":
      return state.doing.doing === "nothing" && state.held.length > 0 ? writeHeld(state) : [state, []];
    default:
      return onResult(state, event);
  }
}

type Result = Exclude<Event, { event: "posted" | "left" | "card-ready" | "decided" | "audit" | "write-held" }>;

/** Handles the result of the current work. */
function onResult(state: State, event: Result): Step {
  const { doing } = state;
  switch (doing.doing) {
    case "writing-held":
      if (event.event === "written") return finish({ ...state, held: [], heldFor: undefined });
      if (event.event === "ledger-failed") return stillHeld(state, event.why);
      break;
    case "deciding":
      if (event.event === "card-read") return decide(state, doing.decision, event);
      if (event.event === "ledger-failed") return decided(state, doing.decision.key, unknown(event.why));
      break;
    case "writing-decision":
      // Our knowledge of the card may be out of date.
      if (event.event === "written") return decided({ ...state, card: undefined }, doing.key, { reply: "decided" });
      if (event.event === "ledger-failed") return decided(state, doing.key, unknown(event.why));
      break;
    case "gates":
      if (event.event === "gates-passed") return compare(state, event.uid, event.session);
      if (event.event === "refused") return finish(state, { reply: "refused", why: event.why });
      break;
    case "reading-card":
      if (event.event === "card-read") return cardRead(state, doing.session, event);
      if (event.event === "ledger-failed") return failed(state, event.why);
      break;
    case "reading-last-invoice":
      if (event.event === "last-invoice-read") return lastInvoiceRead(state, doing, event.answer);
      break;
    case "reading-amounts":
      if (event.event === "amounts-read") {
        return writeSettled(state, settleByAmounts(cardOf(state), event.amounts));
      }
      break;
    case "writing-settled":
      if (event.event === "written") return settled({ ...state, card: doing.after }, doing.writes);
      // Forget the card's state: it can be asked again.
      if (event.event === "ledger-failed") return failed({ ...state, card: undefined }, event.why);
      break;
    case "looking-up":
      if (event.event === "looked-up") return lookedUp(state, event.found, doing.failed);
      if (event.event === "ledger-failed") return failed(state, event.why);
      break;
    case "reading-amounts-before":
      if (event.event === "amounts-read") return writeIntent(state, event.amounts);
      break;
    case "writing-intent":
      if (event.event === "intent-written") return intentWritten(state, event.open);
      if (event.event === "refused") return finish(state, { reply: "refused", why: event.why });
      if (event.event === "ledger-failed") return failed(state, event.why);
      break;
    case "signing":
      if (event.event === "signed") return signed(state, doing.open, event.signature);
      if (event.event === "not-signed") return withdraw(state, doing.open, { reply: "refused", why: event.why });
      if (event.event === "applet-lost") return appletLost(state, doing.open);
      if (event.event === "unknown") return inDoubt(state, doing.open, event.reason, undefined);
      break;
    case "writing-answer":
      if (event.event === "written" || event.event === "ledger-failed") return answerWritten(state, doing, event);
      break;
    case "withdrawing":
      if (event.event === "written" || event.event === "ledger-failed") return withdrawn(state, doing, event);
      break;
    case "using-key":
      if (event.event === "key-used") return finish(state, { reply: "audited" });
      break;
    case "starting-audit":
      if (event.event === "audit-started") return auditStarted(state, event);
      if (event.event === "audit-not-started") return auditNotStarted(state, event.reason);
      break;
    case "marking-proof":
      if (event.event === "written") return putProof(state);
      if (event.event === "ledger-failed") return finish(state, unknown(event.why));
      break;
    case "ending-audit":
      if (event.event === "proof-answered") return proofAnswered(state, event.answer);
      break;
    case "writing-audit":
      if (event.event === "written") return finish(state, doing.reply);
      if (event.event === "ledger-failed") return finish(state, unknown(event.why));
      break;
    case "nothing":
    case "compared":
      break;
  }
  throw new Error(`${event.event} does not fit ${doing.doing}`);
}
