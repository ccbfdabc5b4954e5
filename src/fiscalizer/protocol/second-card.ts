/** Handles a second card that has the UID of a first card, but another key. */
import { cardWrite, giveUpAndReport, type Settled } from "./settlement.js";
import type { Card, LastInvoiceAnswer, Write } from "./state.js";

/** Any answer of the card, including the answer that it does not have the command. */
export type Reached = Exclude<LastInvoiceAnswer, { kind: "not-reached" }>;

/** Whether another card had this UID before. */
export function isSecond({ key, knownKey }: Card): boolean {
  return key !== undefined && knownKey !== undefined && key !== knownKey;
}

/**
 * Settles after a second card came. The ledger's knowledge under this UID belongs to the first card. The second card
 * does not know whether the first card signed its sales in doubt, so these sales are lost, except a sale that the
 * second card has signed.
 */
export function swapped(card: Card, answer: Reached): Settled {
  const { uid, key, lastCounter } = card;
  const swap = (to: number | undefined): readonly Write[] => [
    { kind: "report", uid, reportKind: "swapped", from: lastCounter, to, requestId: undefined },
  ];
  const cardAfter: Card = {
    ...card,
    knownKey: key,
    compared: true,
    counting: [],
    watched: undefined,
    lastBytes: undefined,
    lastUnproven: undefined,
  };
  if (answer.kind === "no-command")
    return giveUpAndReport({ ...cardAfter, lastInvoiceCommand: "missing" }, swap(undefined));
  if (answer.kind === "nothing-signed")
    return giveUpAndReport({ ...cardAfter, lastInvoiceCommand: "works", lastCounter: 0 }, swap(0));
  const last = answer.kind === "signature" && answer.signature.proven ? answer.signature : undefined;
  if (!last) {
    // The service asks this card again before the next sale. The card may then repeat a sale that it signed itself.
    const odd: Card = { ...cardAfter, lastInvoiceCommand: "odd" };
    return { card: odd, writes: [cardWrite(odd), ...swap(undefined)] };
  }
  const { totalCounter, bytes, header } = last;
  const second: Card = { ...cardAfter, lastInvoiceCommand: "works", lastCounter: totalCounter, lastBytes: bytes };
  const signedSale = card.open.find((one) => one.header === header);
  if (!signedSale) return giveUpAndReport(second, swap(totalCounter));
  const rest = giveUpAndReport({ ...second, open: card.open.filter((one) => one !== signedSale) }, swap(totalCounter));
  return { ...rest, writes: [{ kind: "complete", id: signedSale.id, signature: last }, ...rest.writes] };
}
