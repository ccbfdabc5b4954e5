/**
 * The protocol of the sale: what happens next. Pure: the same state and event give the same state and effects.
 * One thing is under way at a time, and each effect but `reply` is answered by one event.
 */
import { inForce, type Rule } from "./rules.js";
import {
  type AfterLast,
  afterSigned,
  learnCounting,
  type Settled,
  settleByAmounts,
  settleByDecision,
  settleByLast,
  writesOfDecision,
} from "./settle.js";
import type {
  Amounts,
  Card,
  Decision,
  Effect,
  Event,
  Open,
  Reply,
  Sale,
  Signature,
  State,
  Told,
  Write,
} from "./state.js";

export type Step = readonly [State, readonly Effect[]];

/** A card that gives another unproven answer each time is asked so often. */
const MOST_QUESTIONS = 3;

/** @param off a rule that an exploration has switched off @throws Error where the event does not fit the state */
export function step(state: State, event: Event, off?: Rule): Step {
  switch (event.event) {
    case "posted":
      return ifIdle({ ...state, queue: [...state.queue, event.sale] });
    case "left":
      return hungUp(state, event.key);
    case "card-ready":
      return ifIdle({ ...state, toCompare: { uid: event.uid, session: event.session } });
    case "decided":
      return ifIdle({ ...state, decisions: [...state.decisions, event.decision] });
    case "write-held":
      return state.doing.doing === "nothing" && state.held.length > 0 ? writeHeld(state, undefined) : [state, []];
    default:
      return goOn(state, event, off);
  }
}

type Result = Exclude<Event, { event: "posted" | "left" | "card-ready" | "decided" | "write-held" }>;

/** What was under way has come to its result. */
function goOn(state: State, event: Result, off?: Rule): Step {
  const { doing } = state;
  switch (doing.doing) {
    case "gates":
      if (event.event === "refused") return finish(state, { reply: "refused", why: event.why });
      if (event.event === "gates-passed") return withCard(state, event.uid, event.session, off);
      break;
    case "writing-held":
      if (event.event === "written") {
        const { card } = doing;
        const written: State = { ...state, held: [], heldFor: undefined };
        return card ? withCard(written, card.uid, card.session, off) : next(written);
      }
      if (event.event === "ledger-failed") return failed(state, event.why);
      break;
    case "reading-card":
      if (event.event === "card-read") return cardRead(state, doing.session, event, off);
      if (event.event === "ledger-failed") return failed(state, event.why);
      break;
    case "asking-last":
      if (event.event === "last-told") return lastTold(state, doing, event.told, off);
      break;
    case "asking-amounts":
      if (event.event === "amounts-told") {
        return writeSettled(state, settleByAmounts(cardOf(state), event.amounts, off), off);
      }
      break;
    case "writing-settled":
      if (event.event === "written") return settled({ ...state, card: doing.after }, doing.writes, off);
      // The card can be asked again.
      if (event.event === "ledger-failed") return failed({ ...state, card: undefined }, event.why);
      break;
    case "looking-up":
      if (event.event === "looked-up") return lookedUp(state, event.found, off);
      if (event.event === "ledger-failed") return failed(state, event.why);
      break;
    case "asking-amounts-before":
      if (event.event === "amounts-told") return amountsBefore(state, event.amounts);
      break;
    case "writing-intent":
      if (event.event === "intent-written") return intentWritten(state, event.open, off);
      if (event.event === "refused") return finish(state, { reply: "refused", why: event.why });
      if (event.event === "ledger-failed") return failed(state, event.why);
      break;
    case "signing":
      if (event.event === "signed") return signed(state, doing.open, event.signature, off);
      if (event.event === "not-signed") return withdraw(state, doing.open, { reply: "refused", why: event.why }, off);
      if (event.event === "unknown") return inDoubt(state, doing.open, event.reason, undefined);
      break;
    case "writing-answer": {
      const { after, open, writes } = doing;
      const stored: State = { ...state, card: after };
      const reply: Reply = { reply: "answer", id: open.id };
      if (event.event === "written") return inForce("storeFirst", off) ? finish(stored, reply) : done(stored);
      if (event.event === "ledger-failed") {
        const held = inForce("heldFirst", off) ? writes : [];
        return finish(
          { ...stored, held, heldFor: open.requestId },
          { reply: "ledger-failed", why: event.why, fate: "signed" },
        );
      }
      break;
    }
    case "withdrawing":
      if (event.event === "written") return finish(state, doing.reply);
      // The card has not signed it, and that must not be forgotten.
      if (event.event === "ledger-failed") {
        return finish({ ...state, held: [{ write: "abandon", id: doing.open.id }] }, doing.reply);
      }
      break;
    case "writing-decision": {
      const reply = (answer: Reply): Effect => ({ effect: "reply", key: doing.key, reply: answer });
      if (event.event === "written") return then(next({ ...state, card: doing.after }), reply({ reply: "decided" }));
      if (event.event === "ledger-failed") {
        return then(next(state), reply({ reply: "ledger-failed", why: event.why, fate: "unknown" }));
      }
      break;
    }
    case "nothing":
      break;
  }
  throw new Error(`${event.event} does not fit ${doing.doing}`);
}

function then([state, effects]: Step, ...before: Effect[]): Step {
  return [state, [...before, ...effects]];
}

function ifIdle(state: State): Step {
  return state.doing.doing === "nothing" ? next(state) : [state, []];
}

/** A person's decision, a card to compare, the next sale: in this order. */
function next(state: State): Step {
  const idle: State = { ...state, doing: { doing: "nothing" }, sale: undefined, asked: undefined };
  const [decision, ...decisions] = idle.decisions;
  if (decision) return decide({ ...idle, decisions }, decision);
  const { toCompare } = idle;
  if (toCompare) return withCard({ ...idle, toCompare: undefined }, toCompare.uid, toCompare.session);
  const [sale, ...queue] = idle.queue;
  if (!sale) return [idle, []];
  const begun: State = { ...idle, queue, sale, doing: { doing: "gates" } };
  return [begun, [{ effect: "pass-gates", key: sale.key }]];
}

function finish(state: State, reply: Reply): Step {
  const { sale } = state;
  return sale ? then(next(state), { effect: "reply", key: sale.key, reply }) : next(state);
}

/** The sale has its reply already. */
function done(state: State): Step {
  return next(state);
}

/** The ledger cannot be read or written. What the card was asked before stays in doubt. */
function failed(state: State, why: unknown): Step {
  const { asked, sale, held, heldFor } = state;
  const isHeld = held.length > 0 && sale?.requestId !== undefined && sale.requestId === heldFor;
  return finish(state, { reply: "ledger-failed", why, fate: asked ? "unknown" : isHeld ? "signed" : "not-signed" });
}

function hungUp(state: State, key: number): Step {
  const { sale } = state;
  if (sale?.key === key) return [{ ...state, sale: { ...sale, left: true } }, []];
  if (!state.queue.some((waiting) => waiting.key === key)) return [state, []];
  const queue = state.queue.filter((waiting) => waiting.key !== key);
  return [{ ...state, queue }, [{ effect: "reply", key, reply: { reply: "left" } }]];
}

function decide(state: State, decision: Decision): Step {
  const { uid, id, requestId, signed: wasSigned, key } = decision;
  const { card } = state;
  const isOpen = card?.open.some((open) => open.id === id) ?? false;
  // The card is here: it is asked before a person is.
  if (card?.uid === uid && !isOpen) {
    return then(next(state), { effect: "reply", key, reply: { reply: "nothing-to-decide" } });
  }
  const decided =
    isOpen && card
      ? settleByDecision(card, id, wasSigned)
      : { writes: writesOfDecision({ uid, id, requestId, signed: wasSigned }) };
  const after = "card" in decided ? decided.card : card;
  return [
    { ...state, doing: { doing: "writing-decision", after, key } },
    [{ effect: "write", writes: decided.writes }],
  ];
}

/** First what the ledger lacks, then the comparison where it is due, then the sale. */
function withCard(state: State, uid: string, session: number, off?: Rule): Step {
  if (state.held.length > 0) return writeHeld(state, { uid, session });
  const { card } = state;
  const known = card?.uid === uid && card.session === session && card.compared && card.open.length === 0;
  if (known) return state.sale ? lookUp(state, off) : next(state);
  return [{ ...state, doing: { doing: "reading-card", session } }, [{ effect: "read-card", uid }]];
}

function writeHeld(state: State, card: { uid: string; session: number } | undefined): Step {
  return [{ ...state, doing: { doing: "writing-held", card } }, [{ effect: "write", writes: state.held }]];
}

type CardRead = Extract<Event, { event: "card-read" }>;

function cardRead(state: State, session: number, read: CardRead, off?: Rule): Step {
  const { uid, lastCounter, lastBytes, counting, open } = read;
  const before = state.card?.uid === uid && state.card.session === session ? state.card : undefined;
  const card: Card = {
    ...{ uid, session, lastCounter, lastBytes, counting, open },
    compared: before?.compared ?? false,
    tells: before?.tells,
    watched: before?.watched,
  };
  const skipped = open.length === 0 && !inForce("compareOnce", off);
  if (skipped) return settled({ ...state, card: { ...card, compared: true } }, [], off);
  return askLast({ ...state, card }, undefined, 1);
}

function askLast(state: State, seen: Signature | undefined, asked: number): Step {
  const { uid } = cardOf(state);
  return [{ ...state, doing: { doing: "asking-last", seen, asked } }, [{ effect: "ask-last", uid }]];
}

type AskingLast = Extract<State["doing"], { doing: "asking-last" }>;

function lastTold(state: State, { seen, asked }: AskingLast, told: Told, off?: Rule): Step {
  const after: AfterLast = settleByLast(cardOf(state), told, seen, off);
  switch (after.next) {
    case "settled":
      return writeSettled(state, after, off);
    case "ask-amounts": {
      const { uid } = after.card;
      return [{ ...state, card: after.card, doing: { doing: "asking-amounts" } }, [{ effect: "ask-amounts", uid }]];
    }
    case "ask-again":
      return asked < MOST_QUESTIONS
        ? askLast(state, after.seen, asked + 1)
        : lastTold(state, { doing: "asking-last", seen, asked }, { told: "odd", reason: "never the same answer" }, off);
  }
}

function writeSettled(state: State, { card, writes }: Settled, off?: Rule): Step {
  if (writes.length === 0) return settled({ ...state, card }, writes, off);
  return [{ ...state, doing: { doing: "writing-settled", after: card, writes } }, [{ effect: "write", writes }]];
}

/** The card has said what it can: of the sale at work, or before it. */
function settled(state: State, writes: readonly Write[], off?: Rule): Step {
  const { asked, sale } = state;
  if (!asked) return sale ? lookUp(state, off) : next(state);
  if (cardOf(state).open.some(({ id }) => id === asked.id)) {
    return finish(state, { reply: "in-doubt", reason: asked.reason });
  }
  const own = writes.find((write) => "id" in write && write.id === asked.id);
  switch (own?.write) {
    case "complete":
      return finish(state, { reply: "answer", id: asked.id });
    case "abandon":
      return finish(state, { reply: "not-signed", reason: asked.reason });
    default:
      return finish(state, { reply: "in-doubt", reason: asked.reason });
  }
}

function lookUp(state: State, off?: Rule): Step {
  if (!inForce("lookUpInTurn", off)) return lookedUp(state, "nothing", off);
  return [{ ...state, doing: { doing: "looking-up" } }, [{ effect: "look-up", key: saleOf(state).key }]];
}

function lookedUp(state: State, found: "nothing" | "open" | "final", off?: Rule): Step {
  if (found === "final") return finish(state, { reply: "stored" });
  if (found === "open")
    return finish(state, { reply: "in-doubt", reason: "the card has not told yet what became of it" });
  const { isTraining, left } = saleOf(state);
  if (left && inForce("leftNotSigned", off)) return finish(state, { reply: "left" });
  const card = cardOf(state);
  const [doubt] = card.open;
  const mayDecide = isTraining && card.tells === "amounts";
  if (doubt && !mayDecide && inForce("oneDoubt", off)) {
    return finish(state, { reply: "blocked", by: doubt, tells: card.tells });
  }
  if (card.tells === "last" || card.tells === undefined || !inForce("amountsBefore", off))
    return writeIntent(state, undefined);
  return [{ ...state, doing: { doing: "asking-amounts-before" } }, [{ effect: "ask-amounts", uid: card.uid }]];
}

function amountsBefore(state: State, amounts: Amounts | undefined): Step {
  const card = amounts ? learnCounting(cardOf(state), amounts) : cardOf(state);
  return writeIntent({ ...state, card }, amounts);
}

function writeIntent(state: State, before: Amounts | undefined): Step {
  const effect: Effect = { effect: "write-intent", key: saleOf(state).key, before };
  return [{ ...state, doing: { doing: "writing-intent" } }, [effect]];
}

function intentWritten(state: State, open: Open, off?: Rule): Step {
  const { key, left } = saleOf(state);
  if (left && inForce("leftNotSigned", off)) return withdraw(state, open, { reply: "left" }, off);
  const { uid } = cardOf(state);
  return [{ ...state, doing: { doing: "signing", open } }, [{ effect: "sign", key, id: open.id, uid }]];
}

function signed(state: State, open: Open, signature: Signature, off?: Rule): Step {
  const isProof = signature.proven && signature.header === open.header;
  if (!isProof && inForce("proven", off)) {
    return inDoubt(state, open, "the card's signature does not prove what it was asked to sign", signature);
  }
  const { card, writes } = afterSigned(cardOf(state), open, signature, off);
  const writing: State = { ...state, doing: { doing: "writing-answer", open, after: card, writes } };
  const write: Effect = { effect: "write", writes };
  if (inForce("storeFirst", off)) return [writing, [write]];
  return [writing, [{ effect: "reply", key: saleOf(state).key, reply: { reply: "answer", id: open.id } }, write]];
}

/** The card may have signed: it is asked at once, where it still answers. */
function inDoubt(state: State, open: Open, reason: string, damaged: Signature | undefined): Step {
  const before = cardOf(state);
  const card: Card = { ...before, open: [...before.open, open] };
  return askLast({ ...state, card, asked: { id: open.id, reason } }, damaged, 1);
}

/** Nothing was signed: the intent goes. */
function withdraw(state: State, open: Open, reply: Reply, off?: Rule): Step {
  if (!inForce("refusedGoes", off)) return finish(state, reply);
  const write: Write = { write: "abandon", id: open.id };
  return [{ ...state, doing: { doing: "withdrawing", open, reply } }, [{ effect: "write", writes: [write] }]];
}

function cardOf({ card }: State): Card {
  if (!card) throw new Error("the protocol has no card");
  return card;
}

function saleOf({ sale }: State): Sale {
  if (!sale) throw new Error("the protocol has no sale");
  return sale;
}
