/** The parts of every settlement: the card's state afterwards, and the ledger's writes. */
import type { Card, Write } from "./state.js";

/** The card's state afterwards, and what must be written first. */
export interface Settled {
  readonly card: Card;
  readonly writes: readonly Write[];
}

type Report = Extract<Write, { kind: "report" }>;

export function report(card: Card, kind: Report["reportKind"], from?: number, to = from, requestId?: string): Report {
  return { kind: "report", uid: card.uid, reportKind: kind, from, to, requestId };
}

export function cardWrite({ uid, key, lastCounter, counting }: Card): Write {
  return { kind: "card", uid, key, lastCounter, counting };
}

/** The card signed none of the sales in doubt: their RequestIds are free again. */
export function withdrawOpen(card: Card): Settled {
  return { card: { ...card, open: [] }, writes: card.open.map(({ id }) => ({ kind: "abandon", id })) };
}

/**
 * The outcome of the open sales can no longer be known. They are final and reported.
 * @param from total counter of the first of them, if known
 */
export function giveUpOpen(card: Card, from: number | undefined): Settled {
  return {
    card: { ...card, open: [] },
    writes: card.open.flatMap(({ id, requestId }, i): Write[] => {
      const totalCounter = from === undefined ? undefined : from + i;
      return [{ kind: "lose", id, totalCounter }, report(card, "lost", totalCounter, totalCounter, requestId)];
    }),
  };
}

/** As {@link giveUpOpen}, and writes the state of the card and the report that gives the reason. */
export function giveUpAndReport(card: Card, reports: readonly Write[]): Settled {
  const { writes, card: cardAfter } = giveUpOpen(card, undefined);
  return { card: cardAfter, writes: [...writes, cardWrite(cardAfter), ...reports] };
}
