/** How a step is written, and how work ends. */
import type { Card, Effect, Reply, Sale, State } from "./state.js";

export type Step = readonly [State, readonly Effect[]];

/** @param reply to the sale at work, where there is one */
export function finish(state: State, reply?: Reply): Step {
  const { sale } = state;
  const idle: State = { ...state, doing: { doing: "nothing" }, sale: undefined, asked: undefined };
  return [idle, sale && reply ? [{ effect: "reply", key: sale.key, reply }] : []];
}

/** @throws Error which is a mistake of the protocol */
export function cardOf({ card }: State): Card {
  if (!card) throw new Error("the protocol has no card");
  return card;
}

/** @throws Error which is a mistake of the protocol */
export function saleOf({ sale }: State): Sale {
  if (!sale) throw new Error("the protocol has no sale");
  return sale;
}
