/** Settles a sale in doubt by sum and limit, for cards that cannot repeat their last invoice. */
import type { Amounts } from "../../fiscal/limit.js";
import { cardWrite, giveUpOpen, type Settled, withdrawOpen } from "./settlement.js";
import type { Card, OpenIntent } from "./state.js";

/** Returns the amounts expected before the next sale if this kind adds to the sum. A sale of amount 0 shows nothing. */
export function watched({ kind, amount, before }: OpenIntent): Card["watched"] {
  return before && amount > 0n ? { kind, expected: { ...before, sum: before.sum + amount } } : undefined;
}

/** Adds the kind of the first of two successive sales if it counts: the amounts before the second sale show this. */
export function learned({ counting, watched }: Card, { before }: OpenIntent): readonly string[] {
  if (!watched || !before || counting.includes(watched.kind)) return counting;
  const { sum, limit } = watched.expected;
  return before.sum === sum && before.limit === limit ? [...counting, watched.kind] : counting;
}

/** Settles a sale in doubt if the sum has grown by exactly its amount. @param amounts undefined if not reported */
export function settleByAmounts(card: Card, amounts: Amounts | undefined): Settled {
  const cardAfter: Card = { ...card, compared: true };
  const [inDoubtSale, ...others] = card.open;
  // The sum cannot decide between several sales, or about a sale with the amount 0.
  if (!inDoubtSale?.before || !amounts || others.length > 0 || inDoubtSale.amount <= 0n)
    return { card: cardAfter, writes: [] };
  if (amounts.limit !== inDoubtSale.before.limit) return { card: cardAfter, writes: [] };
  const moved = amounts.sum - inDoubtSale.before.sum;
  if (moved === inDoubtSale.amount) {
    const lastCounter = card.lastCounter + 1;
    const lost = giveUpOpen({ ...cardAfter, lastCounter, lastBytes: undefined, lastUnproven: undefined }, lastCounter);
    return { card: lost.card, writes: [...lost.writes, cardWrite(lost.card)] };
  }
  const counts = card.counting.includes(inDoubtSale.kind);
  return moved === 0n && counts ? withdrawOpen(cardAfter) : { card: cardAfter, writes: [] };
}
