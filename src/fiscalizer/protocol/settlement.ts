/** Makes the parts of every settlement: the card's state afterwards, and the ledger's writes. */
import type { Card, CardFacts, Write } from "./state.js";

/** A settlement: the card's state afterwards, and the writes that must succeed before this state counts. */
export interface Settled {
  readonly card: Card;
  readonly writes: readonly Write[];
}

type ReportWrite = Extract<Write, { kind: "report" }>;

export function report(
  { uid }: Pick<Card, "uid">,
  reportKind: ReportWrite["reportKind"],
  from?: number,
  to?: number,
  requestId?: string,
): ReportWrite {
  return { kind: "report", uid, reportKind, from, to, requestId };
}

export function cardWrite({ uid, key, lastCounter, counting }: CardFacts): Write {
  return { kind: "card", uid, key, lastCounter, counting };
}

/** Withdraws all sales in doubt, because the card signed none of them. Their RequestIds are free again. */
export function withdrawOpen(card: Card): Settled {
  return { card: { ...card, open: [] }, writes: card.open.map(({ id }) => ({ kind: "abandon", id })) };
}

/**
 * Ends and reports all sales in doubt, because it is no longer possible to find out whether the card signed them.
 * @param from total counter of the first of these sales, if known
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

/** Does the same as {@link giveUpOpen}, and also writes the card's state and the reports that give the reason. */
export function giveUpAndReport(card: Card, reports: readonly Write[]): Settled {
  const { writes, card: cardAfter } = giveUpOpen(card, undefined);
  return { card: cardAfter, writes: [...writes, cardWrite(cardAfter), ...reports] };
}
