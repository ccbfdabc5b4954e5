/** How a step is written, and how work ends. */
import type { Card, Effect, Reply, Sale, State } from "./state.js";

export type Step = readonly [State, readonly Effect[]];

/** @param reply to the sale or the audit at work, where there is one */
export function finish(state: State, reply?: Reply): Step {
  const { sale, audit } = state;
  const key = (sale ?? audit)?.key;
  const idle: State = { ...state, doing: { doing: "nothing" }, sale: undefined, audit: undefined, asked: undefined };
  return [idle, key !== undefined && reply ? [{ effect: "reply", key, reply }] : []];
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

/** A sale that waits goes; one at work goes on where the card may have been asked. */
export function hungUp(state: State, key: number): Step {
  const { sale, ahead } = state;
  if (sale?.key === key) return [{ ...state, sale: { ...sale, left: true } }, []];
  if (ahead?.key === key) return [{ ...state, ahead: { ...ahead, left: true } }, []];
  if (!state.queue.some((waiting) => waiting.key === key)) return [state, []];
  const queue = state.queue.filter((waiting) => waiting.key !== key);
  return [{ ...state, queue }, [{ effect: "reply", key, reply: { reply: "left" } }]];
}
