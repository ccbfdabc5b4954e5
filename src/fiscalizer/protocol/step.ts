/**
 * The protocol of the sale: what happens next. Pure: the same state and event give the same state and effects.
 * One thing is under way at a time, and each effect but `reply` is answered by one event.
 */
import { inForce, type Rule } from "./rules.js";
import {
  type AfterLast,
  afterSigned,
  type Settled,
  settleByAmounts,
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
      return ifIdle({ ...state, queue: [...state.queue, event.sale] }, off);
    case "left":
      return hungUp(state, event.key);
    case "card-ready":
      return ifIdle({ ...state, toCompare: { uid: event.uid, session: event.session } }, off);
    case "decided":
      return ifIdle({ ...state, decisions: [...state.decisions, event.decision] }, off);
    case "write-held":
      return state.doing.doing === "nothing" && state.held.length > 0 ? writeHeld(state) : [state, []];
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
      if (event.event === "refused") return finish(state, { reply: "refused", why: event.why }, off);
      if (event.event === "gates-passed") return withCard(state, event.uid, event.session, off);
      break;
    case "writing-held":
      if (event.event === "written") return next({ ...state, held: [], heldFor: undefined }, off);
      if (event.event === "ledger-failed") return stillHeld(state, event.why, off);
      break;
    case "reading-card":
      if (event.event === "card-read") return cardRead(state, doing.session, event, off);
      if (event.event === "ledger-failed") return failed(state, event.why, off);
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
      if (event.event === "ledger-failed") return failed({ ...state, card: undefined }, event.why, off);
      break;
    case "looking-up":
      if (event.event === "looked-up") return lookedUp(state, event.found, doing.failed, off);
      if (event.event === "ledger-failed") return failed(state, event.why, off);
      break;
    case "asking-amounts-before":
      if (event.event === "amounts-told") return writeIntent(state, event.amounts);
      break;
    case "writing-intent":
      if (event.event === "intent-written") return intentWritten(state, event.open, off);
      if (event.event === "refused") return finish(state, { reply: "refused", why: event.why }, off);
      if (event.event === "ledger-failed") return failed(state, event.why, off);
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
      if (event.event === "written") return inForce("storeFirst", off) ? finish(stored, reply, off) : next(stored, off);
      if (event.event === "ledger-failed") {
        const held = inForce("heldFirst", off) ? writes : [];
        const waiting: State = { ...stored, held, heldFor: open.requestId };
        return finish(waiting, { reply: "ledger-failed", why: event.why, fate: "signed" }, off);
      }
      break;
    }
    case "withdrawing":
      if (event.event === "written") return finish(state, doing.reply, off);
      // The card has not signed it, and that must not be forgotten.
      if (event.event === "ledger-failed") {
        return finish({ ...state, held: [{ write: "abandon", id: doing.open.id }] }, doing.reply, off);
      }
      break;
    case "deciding":
      if (event.event === "card-read") return decide(state, doing.decision, event, off);
      if (event.event === "ledger-failed") return decided(state, doing.decision.key, unknown(event.why), off);
      break;
    case "writing-decision":
      // What is known of the card may be out of date.
      if (event.event === "written")
        return decided({ ...state, card: undefined }, doing.key, { reply: "decided" }, off);
      if (event.event === "ledger-failed") return decided(state, doing.key, unknown(event.why), off);
      break;
    case "nothing":
      break;
  }
  throw new Error(`${event.event} does not fit ${doing.doing}`);
}

function then([state, effects]: Step, ...before: Effect[]): Step {
  return [state, [...before, ...effects]];
}

function ifIdle(state: State, off?: Rule): Step {
  return state.doing.doing === "nothing" ? next(state, off) : [state, []];
}

/** A card to compare, a person's decision, the next sale: in this order, and all after what the ledger lacks. */
function next(state: State, off?: Rule): Step {
  const idle: State = { ...state, doing: { doing: "nothing" }, sale: undefined, asked: undefined };
  const { toCompare, held } = idle;
  const [decision, ...decisions] = idle.decisions;
  const [sale, ...queue] = idle.queue;
  if (held.length > 0 && (toCompare || decision || sale)) return writeHeld(idle);
  if (toCompare) return withCard({ ...idle, toCompare: undefined }, toCompare.uid, toCompare.session, off);
  if (decision) {
    const deciding: State = { ...idle, decisions, doing: { doing: "deciding", decision } };
    return [deciding, [{ effect: "read-card", uid: decision.uid }]];
  }
  if (sale) return [{ ...idle, queue, sale, doing: { doing: "gates" } }, [{ effect: "pass-gates", key: sale.key }]];
  return [idle, []];
}

function writeHeld(state: State): Step {
  return [{ ...state, doing: { doing: "writing-held" } }, [{ effect: "write", writes: state.held }]];
}

/** What the ledger lacks it still does not take: what comes next cannot be done. */
function stillHeld(state: State, why: unknown, off?: Rule): Step {
  const [decision, ...decisions] = state.decisions;
  const [sale, ...queue] = state.queue;
  if (state.toCompare) return next({ ...state, toCompare: undefined }, off);
  if (decision) return decided({ ...state, decisions }, decision.key, unknown(why), off);
  return failed({ ...state, queue, sale }, why, off);
}

function finish(state: State, reply: Reply, off?: Rule): Step {
  const { sale } = state;
  return sale ? then(next(state, off), { effect: "reply", key: sale.key, reply }) : next(state, off);
}

/** The ledger cannot be read or written. What the card was asked before stays in doubt. */
function failed(state: State, why: unknown, off?: Rule): Step {
  const { asked, sale, doing } = state;
  if (!sale || asked || doing.doing === "looking-up") return finish(state, unknown(why), off);
  if (doing.doing === "writing-intent") return finish(state, { reply: "ledger-failed", why, fate: "not-signed" }, off);
  return lookUp(state, { why }, off);
}

function unknown(why: unknown): Reply {
  return { reply: "ledger-failed", why, fate: "unknown" };
}

function hungUp(state: State, key: number): Step {
  const { sale } = state;
  if (sale?.key === key) return [{ ...state, sale: { ...sale, left: true } }, []];
  if (!state.queue.some((waiting) => waiting.key === key)) return [state, []];
  const queue = state.queue.filter((waiting) => waiting.key !== key);
  return [{ ...state, queue }, [{ effect: "reply", key, reply: { reply: "left" } }]];
}

function decide(state: State, decision: Decision, read: CardRead, off?: Rule): Step {
  const { key, id, signed: wasSigned } = decision;
  const writes = writesOfDecision(read, id, wasSigned);
  if (writes.length === 0) return decided(state, key, { reply: "nothing-to-decide" }, off);
  return [{ ...state, doing: { doing: "writing-decision", key } }, [{ effect: "write", writes }]];
}

function decided(state: State, key: number, reply: Reply, off?: Rule): Step {
  return then(next(state, off), { effect: "reply", key, reply });
}

/** The comparison where it is due, then the sale. */
function withCard(state: State, uid: string, session: number, off?: Rule): Step {
  const { card } = state;
  const isSettled = card?.compared && card.tells !== "odd" && card.open.length === 0;
  if (isSettled && card.uid === uid && card.session === session)
    return state.sale ? lookUp(state, undefined, off) : next(state, off);
  return [{ ...state, doing: { doing: "reading-card", session } }, [{ effect: "read-card", uid }]];
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
  if (!asked) return sale ? lookUp(state, undefined, off) : next(state, off);
  const own = writes.find((write) => "id" in write && write.id === asked.id);
  switch (own?.write) {
    case "complete":
      return finish(state, { reply: "answer", id: asked.id }, off);
    case "abandon":
      return finish(state, { reply: "not-signed", reason: asked.reason }, off);
    case "lose":
      return finish(state, { reply: "no-receipt", state: "lost", totalCounter: own.totalCounter }, off);
    case "unproven":
      return finish(state, { reply: "no-receipt", state: "unproven", totalCounter: own.totalCounter }, off);
    default:
      return finish(state, { reply: "in-doubt", reason: asked.reason }, off);
  }
}

type LookingUp = Extract<State["doing"], { doing: "looking-up" }>;

function lookUp(state: State, failed: LookingUp["failed"], off?: Rule): Step {
  const looking: State = { ...state, doing: { doing: "looking-up", failed } };
  if (!inForce("lookUpInTurn", off)) return lookedUp(looking, "nothing", failed, off);
  return [looking, [{ effect: "look-up", key: saleOf(state).key }]];
}

type Found = Extract<Event, { event: "looked-up" }>["found"];

function lookedUp(state: State, found: Found, failed: LookingUp["failed"], off?: Rule): Step {
  if (found === "final") return finish(state, { reply: "stored" }, off);
  if (failed) return finish(state, { reply: "ledger-failed", why: failed.why, fate: fateOf(state, found) }, off);
  if (found === "open") {
    return finish(state, { reply: "in-doubt", reason: "the card has not told yet what became of it" }, off);
  }
  return mayStart(state, off);
}

function fateOf({ heldFor, sale }: State, found: Found): "not-signed" | "signed" | "unknown" {
  if (sale?.requestId !== undefined && sale.requestId === heldFor) return "signed";
  return found === "open" ? "unknown" : "not-signed";
}

/** The sale is a new one. */
function mayStart(state: State, off?: Rule): Step {
  const { isTraining, left } = saleOf(state);
  const card = cardOf(state);
  const [doubt] = card.open;
  const mayDecide = isTraining && card.tells === "amounts";
  if (left && inForce("leftNotSigned", off)) return finish(state, { reply: "left" }, off);
  if (!card.compared) {
    return finish(state, { reply: "not-signed", reason: "it could not be asked for its last invoice" }, off);
  }
  if (doubt && !mayDecide && inForce("oneDoubt", off)) {
    return finish(state, { reply: "blocked", by: doubt, tells: card.tells }, off);
  }
  if (card.tells === "last" || card.tells === undefined || !inForce("amountsBefore", off)) {
    return writeIntent(state, undefined);
  }
  return [{ ...state, doing: { doing: "asking-amounts-before" } }, [{ effect: "ask-amounts", uid: card.uid }]];
}

function writeIntent(state: State, before: Amounts | undefined): Step {
  const { uid } = cardOf(state);
  const effect: Effect = { effect: "write-intent", key: saleOf(state).key, uid, before };
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
  if (!inForce("refusedGoes", off)) return finish(state, reply, off);
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
