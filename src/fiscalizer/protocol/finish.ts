/** Type of a step, and functions that end a sale or an audit. */
import type { Card, Effect, Event, QueuedSale, Reply, State } from "./state.js";

export type Step = readonly [State, readonly Effect[]];

/** Ends the current work. @param reply the reply to the sale, the audit or the decision at work, if there is one */
export function finish(state: State, reply?: Reply): Step {
  const { sale, audit, doing } = state;
  const to = "decision" in doing ? doing.decision : (sale ?? audit);
  const idle: State = { ...state, doing: { kind: "nothing" }, sale: undefined, audit: undefined, inDoubt: undefined };
  return [idle, to && reply ? [{ kind: "reply", to, reply }] : []];
}

/** Returns the reply to the sale whose receipt was written. @throws Error on a bug in the effects */
export function answerIn({ sold }: Extract<Event, { kind: "written" }>): Reply {
  if (!sold) throw new Error("the write has no receipt");
  return { kind: "answer", sold };
}

/** @throws Error on a bug in the protocol */
export function cardOf({ card }: State): Card {
  if (!card) throw new Error("the protocol has no card");
  return card;
}

/** @throws Error on a bug in the protocol */
export function saleOf({ sale }: State): QueuedSale {
  if (!sale) throw new Error("the protocol has no sale");
  return sale;
}

/** Removes a waiting sale whose POS hung up. Only marks a sale at work, because the card may have got it already. */
export function hungUp(state: State, key: number): Step {
  const { sale, ahead } = state;
  if (sale?.key === key) return [{ ...state, sale: { ...sale, left: true } }, []];
  if (ahead?.key === key) return [{ ...state, ahead: { ...ahead, left: true } }, []];
  const gone = state.queue.find((waiting) => waiting.key === key);
  if (!gone) return [state, []];
  const queue = state.queue.filter((waiting) => waiting !== gone);
  return [{ ...state, queue }, [{ kind: "reply", to: gone, reply: { kind: "left" } }]];
}
