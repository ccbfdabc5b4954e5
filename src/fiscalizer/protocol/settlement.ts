/** The parts of every settlement: what is known of the card afterwards, and what the ledger is to write of it. */
import { inForce, type Rule } from "./rules.js";
import type { Card, Signature, Write } from "./state.js";

/** What is known of the card afterwards, and what the ledger must write first. */
export interface Settled {
  readonly card: Card;
  readonly writes: readonly Write[];
}

type Report = Extract<Write, { write: "report" }>;

export function report(card: Card, kind: Report["kind"], from?: number, to = from, requestId?: string): Report {
  return { write: "report", uid: card.uid, kind, from, to, requestId };
}

export function cardWrite({ uid, key, lastCounter, counting }: Card): Write {
  return { write: "card", uid, key, lastCounter, counting };
}

/** The card signed none of them: their RequestIds are free again. */
export function free(card: Card): Settled {
  return { card: { ...card, open: [] }, writes: card.open.map(({ id }) => ({ write: "abandon", id })) };
}

/**
 * What became of the open sales cannot be known any more. They are final, and reported.
 * @param from total counter of the first of them, if it is known
 */
export function lose(card: Card, from: number | undefined, off?: Rule): Settled {
  if (!inForce("gapLoses", off)) return free(card);
  return {
    card: { ...card, open: [] },
    writes: card.open.flatMap(({ id, requestId }, i): Write[] => {
      const totalCounter = from === undefined ? undefined : from + i;
      return [{ write: "lose", id, totalCounter }, report(card, "lost", totalCounter, totalCounter, requestId)];
    }),
  };
}

/** The same, with what is known of the card, and with the reason. */
export function lostBy(card: Card, why: readonly Write[], off?: Rule): Settled {
  const { writes, card: then } = lose(card, undefined, off);
  return { card: then, writes: [...writes, cardWrite(then), ...why] };
}

/** The card's certificate does not prove it. */
export function isUnproven({ proven }: Signature, off?: Rule): boolean {
  return !proven && inForce("proven", off);
}
