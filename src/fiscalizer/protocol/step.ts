/**
 * Computes the next state and the effects of an event. The same state and event always give the same result. The
 * protocol does one thing at a time, and one event reports the result of each effect except `reply`.
 */
import { settleByAmounts } from "./amounts.js";
import { askForAudit, auditStarted, notAudited, proofAnswered, putProof } from "./audit.js";
import { cardRead, compare, lastInvoiceRead, settled, writeSettled } from "./comparison.js";
import { cardOf, finish, hungUp, type Step } from "./finish.js";
import { decide, next, stillUnwritten, writeUnwritten } from "./queue.js";
import {
  answerWritten,
  appletLost,
  backToQueue,
  beginCompared,
  failed,
  inDoubt,
  intentWritten,
  ledgerFailed,
  lookedUp,
  refused,
  signed,
  withdrawn,
} from "./sale.js";
import type { Event, State } from "./state.js";

/** Handles an event, and starts the next work when the current work has ended. @throws Error if the event does not fit */
export function step(before: State, event: Event): Step {
  let [state, effects] = onEvent(before, event);
  for (;;) {
    const { kind: doing } = state.doing;
    const begun = doing === "nothing" ? next(state) : doing === "compared" ? continueAfterComparison(state) : undefined;
    if (!begun) return [state, effects];
    state = begun[0];
    effects = [...effects, ...begun[1]];
  }
}

/** Continues with the sale or the audit at work after card and ledger were compared. */
function continueAfterComparison(state: State): Step {
  return state.audit ? askForAudit(state, state.audit) : beginCompared(state);
}

function onEvent(state: State, event: Event): Step {
  switch (event.kind) {
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
    case "write-unwritten":
      return state.doing.kind === "nothing" && state.unwritten.length > 0 ? writeUnwritten(state) : [state, []];
    default:
      return onResult(state, event);
  }
}

type WorkResult = Exclude<Event, { kind: "posted" | "left" | "card-ready" | "decided" | "audit" | "write-unwritten" }>;

function onResult(state: State, event: WorkResult): Step {
  const { doing } = state;
  switch (doing.kind) {
    case "writing-unwritten":
      if (event.kind === "written") return finish({ ...state, unwritten: [], unwrittenFor: undefined });
      if (event.kind === "ledger-failed") return stillUnwritten(state, event.why);
      break;
    case "deciding":
      if (event.kind === "card-read") return decide(state, doing.decision, event.card);
      if (event.kind === "ledger-failed") return finish(state, ledgerFailed(event.why));
      break;
    case "writing-decision":
      // Forget the card's state, because the decision may have changed what the ledger knows about the card.
      if (event.kind === "written") return finish({ ...state, card: undefined }, { kind: "decided" });
      if (event.kind === "ledger-failed") return finish(state, ledgerFailed(event.why));
      break;
    case "beginning":
      // If a PIN was entered meanwhile, its comparison comes first, and the sale begins anew after it.
      if (event.kind === "to-compare") return state.toCompare ? backToQueue(state) : compare(state, event);
      if (event.kind === "looked-up") return lookedUp(state, event.entry, undefined);
      if (event.kind === "intent-written") return intentWritten(state, event.open);
      if (event.kind === "refused") return finish(state, { kind: "refused", why: event.why });
      if (event.kind === "intent-failed") return finish(state, ledgerFailed(event.why, "not-signed"));
      if (event.kind === "ledger-failed") return finish(state, ledgerFailed(event.why, "not-looked-up"));
      break;
    case "reading-card":
      if (event.kind === "card-read") return cardRead(state, doing.session, event.card);
      if (event.kind === "ledger-failed") return failed(state, event.why);
      break;
    case "reading-last-invoice":
      if (event.kind === "last-invoice-read") return lastInvoiceRead(state, doing, event.answer);
      break;
    case "reading-amounts":
      if (event.kind === "amounts-read") {
        return writeSettled(state, settleByAmounts(cardOf(state), event.amounts));
      }
      break;
    case "writing-settled":
      if (event.kind === "written") return settled({ ...state, card: doing.after }, doing.writes, event);
      // Forget the card's state, because the service can ask the card again.
      if (event.kind === "ledger-failed") return failed({ ...state, card: undefined }, event.why);
      break;
    case "looking-up":
      if (event.kind === "looked-up") return lookedUp(state, event.entry, doing.failed);
      if (event.kind === "ledger-failed") return failed(state, event.why);
      break;
    case "signing":
      if (event.kind === "signed") return signed(state, doing.open, event.signature);
      if (event.kind === "not-signed") return refused(state, doing.open, event);
      if (event.kind === "applet-lost") return appletLost(state, doing.open);
      if (event.kind === "unknown") return inDoubt(state, doing.open, event.reason);
      break;
    case "writing-answer":
      if (event.kind === "written" || event.kind === "ledger-failed") return answerWritten(state, doing, event);
      break;
    case "withdrawing":
      if (event.kind === "written" || event.kind === "ledger-failed") return withdrawn(state, doing, event);
      break;
    case "using-key":
      if (event.kind === "key-used") return finish(state, event);
      break;
    case "starting-audit":
      if (event.kind === "audit-started") return auditStarted(state, event);
      if (event.kind === "audit-not-started") return notAudited(state, "card", event.reason);
      break;
    case "marking-proof":
      if (event.kind === "written") return putProof(state);
      if (event.kind === "ledger-failed") return finish(state, ledgerFailed(event.why));
      break;
    case "ending-audit":
      if (event.kind === "proof-answered") return proofAnswered(state, event.answer);
      break;
    case "writing-audit":
      if (event.kind === "written") return finish(state, doing.reply);
      if (event.kind === "ledger-failed") return finish(state, ledgerFailed(event.why));
      break;
    case "nothing":
    case "compared":
      break;
  }
  throw new Error(`${event.kind} does not fit ${doing.kind}`);
}
