/**
 * Settles sales in doubt by the card's last invoice, and reports invoices that the ledger does not have. A second card
 * may have the UID of a first one, but another key.
 */
import { learned, watched } from "./amounts.js";
import { cardWrite, giveUpAndReport, giveUpOpen, report, type Settled, withdrawOpen } from "./settlement.js";
import {
  type Card,
  DAMAGED,
  type LastInvoiceAnswer,
  type OpenIntent,
  type Signature,
  type While,
  type Write,
} from "./state.js";

/** At the first attempt, which is 1, `previous` is the card's answer to the request to sign. */
export type Reading = While<"reading-last-invoice">;

/** Any answer of the card, including the answer that it does not have the command. */
type Reached = Exclude<LastInvoiceAnswer, { kind: "not-reached" }>;

/** The next action after an answer about the last invoice. */
type AfterLastInvoice =
  | ({ readonly kind: "settled" } & Settled)
  /** Ask again, because an unproven answer may have been disturbed on its way. `previous` is that answer. */
  | { readonly kind: "read-again"; readonly previous: Signature }
  | { readonly kind: "read-amounts"; readonly card: Card };

/** Decides what follows from an answer about the last invoice. @param answer the card's answer to this attempt */
export function settleByLastInvoice(card: Card, answer: LastInvoiceAnswer, reading: Reading): AfterLastInvoice {
  if (answer.kind === "not-reached") return { kind: "settled", card, writes: [] };
  if (answer.kind === "signature" && !answer.signature.proven) {
    const { signature } = answer;
    const isRepeated = reading.previous?.bytes === signature.bytes;
    if (!isRepeated) return { kind: "read-again", previous: signature };
  }
  const { key, knownKey } = card;
  // Another card had this UID before.
  const isSecond = key !== undefined && knownKey !== undefined && key !== knownKey;
  return isSecond ? { kind: "settled", ...swapped(card, answer) } : settleSameCard(card, answer, reading.attempt);
}

function settleSameCard(card: Card, answer: Reached, attempt: number): AfterLastInvoice {
  const works: Card = { ...card, compared: true, lastInvoiceCommand: "works" };
  switch (answer.kind) {
    case "no-command":
      return withoutLastInvoice({ ...card, lastInvoiceCommand: "missing" });
    case "odd":
      return withoutLastInvoice({ ...card, lastInvoiceCommand: "odd" });
    case "nothing-signed":
      return { kind: "settled", ...(card.lastCounter > 0 ? wentBack(works, 0, undefined) : withdrawOpen(works)) };
    case "signature": {
      const { signature } = answer;
      if (signature.proven) return { kind: "settled", ...bySignature(works, signature) };
      if (isNonsense(card, signature, attempt)) return withoutLastInvoice({ ...card, lastInvoiceCommand: "odd" });
      return { kind: "settled", ...byUnproven(works, signature) };
    }
  }
}

/**
 * Whether unproven bytes show nothing about a sale in doubt. The bytes belong to that sale if they were the card's
 * answer to the request to sign, or if they contain the sale's header. The bytes belong to the sale before it if the
 * ledger has them. Other bytes show nothing, because a card may answer every question with the same nonsense.
 */
function isNonsense({ open, lastUnproven }: Card, { bytes, header }: Signature, attempt: number): boolean {
  const isKnown = attempt === 1 || bytes === lastUnproven || open.some((one) => one.header === header);
  return open.length > 0 && !isKnown;
}

/** Continues without the last invoice. Sum and limit can settle a sale if they were read before it. */
function withoutLastInvoice(card: Card): AfterLastInvoice {
  return card.open.some(({ before }) => before !== undefined)
    ? { kind: "read-amounts", card }
    : { kind: "settled", card: { ...card, compared: true }, writes: [] };
}

/** Settles by a proven signature: of a sale in doubt, of the last sale that the ledger has, or of another sale. */
function bySignature(card: Card, signature: Signature): Settled {
  const { lastCounter, lastBytes, open } = card;
  const { totalCounter, bytes } = signature;
  const inDoubtSale = open.find(({ header }) => header === signature.header);
  if (inDoubtSale && bytes !== lastBytes) return afterSigned(card, inDoubtSale, signature);
  if (totalCounter > lastCounter) return foreign(card, signature);
  const same = totalCounter === lastCounter && (lastBytes === undefined || lastBytes === bytes);
  return same ? withdrawOpen(card) : wentBack(card, totalCounter, bytes);
}

/** Settles if another program has used the card: adopts the invoice that the card repeats, reports all missing ones. */
function foreign(card: Card, signature: Signature): Settled {
  const { totalCounter, bytes } = signature;
  const cardAfter: Card = { ...card, lastCounter: totalCounter, lastBytes: bytes, lastUnproven: undefined };
  // If the card made only one signature, the other program asked for it, so the card has signed no sale in doubt. A
  // sale with a damaged intent is an exception: the one signature may belong to it.
  const isOnlyOne = totalCounter === card.lastCounter + 1 && card.open.every(({ header }) => header !== DAMAGED);
  const others = isOnlyOne ? withdrawOpen(cardAfter) : giveUpOpen(cardAfter, undefined);
  return {
    card: others.card,
    writes: [
      ...others.writes,
      { kind: "adopt", uid: card.uid, signature },
      cardWrite(cardAfter),
      report(card, "behind", card.lastCounter + 1, totalCounter),
    ],
  };
}

/** Settles if the card lost its memory or was set back: nothing shows whether it signed a sale in doubt. */
function wentBack(card: Card, totalCounter: number, bytes: string | undefined): Settled {
  const cardAfter: Card = { ...card, lastCounter: totalCounter, lastBytes: bytes, lastUnproven: undefined };
  return giveUpAndReport(cardAfter, [report(card, "back", card.lastCounter, totalCounter)]);
}

/** Settles by unproven bytes that the card repeats. The ledger marks these bytes, and they never become a receipt. */
function byUnproven(card: Card, signature: Signature): Settled {
  const { bytes, header } = signature;
  if (bytes === card.lastUnproven) return withdrawOpen(card);
  const inDoubtSale = card.open.find((one) => one.header === header) ?? card.open.at(-1);
  if (!inDoubtSale) return { card, writes: [report(card, "unproven")] };
  const lastCounter = card.lastCounter + 1;
  const lastUnproven = inDoubtSale.header === header ? bytes : undefined;
  const open = card.open.filter((one) => one !== inDoubtSale);
  const cardAfter: Card = { ...card, lastCounter, lastBytes: undefined, lastUnproven, open };
  const rest = giveUpOpen(cardAfter, undefined);
  return {
    card: rest.card,
    writes: [
      { kind: "unproven", uid: card.uid, id: inDoubtSale.id, totalCounter: lastCounter, signature },
      report(card, "unproven", lastCounter, lastCounter, inDoubtSale.requestId),
      ...rest.writes,
      cardWrite(cardAfter),
    ],
  };
}

/** Settles if the card has signed `signedSale`. The counter in the signature decides about the other sales in doubt. */
export function afterSigned(card: Card, signedSale: OpenIntent, signature: Signature): Settled {
  const { totalCounter, bytes } = signature;
  const skipped = totalCounter - card.lastCounter - 1;
  const others = card.open.filter((one) => one.id !== signedSale.id);
  const cardAfter: Card = {
    ...card,
    lastCounter: totalCounter,
    lastBytes: bytes,
    open: others,
    counting: skipped === 0 ? learned(card, signedSale) : card.counting,
    watched: watched(signedSale),
  };
  const { id, intent } = signedSale;
  const writes: Write[] = [{ kind: "complete", id, intent, signature }];
  const explained = skipped === others.length;
  const rest =
    skipped === 0 ? withdrawOpen(cardAfter) : giveUpOpen(cardAfter, explained ? card.lastCounter + 1 : undefined);
  writes.push(...rest.writes, cardWrite(cardAfter));
  if (skipped < 0) {
    writes.push(report(card, "back", card.lastCounter, totalCounter));
  }
  if (skipped > 0 && !explained) {
    writes.push(report(card, "behind", card.lastCounter + 1, totalCounter - 1));
  }
  return { card: rest.card, writes };
}

/**
 * Settles after a second card came. The ledger's knowledge under this UID belongs to the first card. The second card
 * does not know whether the first card signed its sales in doubt, so these sales are lost, except a sale that the
 * second card has signed.
 */
function swapped(card: Card, answer: Reached): Settled {
  const swap = (to?: number) => [report(card, "swapped", card.lastCounter, to)];
  const cardAfter: Card = {
    ...card,
    knownKey: card.key,
    compared: true,
    counting: [],
    watched: undefined,
    lastBytes: undefined,
    lastUnproven: undefined,
  };
  if (answer.kind === "no-command") return giveUpAndReport({ ...cardAfter, lastInvoiceCommand: "missing" }, swap());
  if (answer.kind === "nothing-signed")
    return giveUpAndReport({ ...cardAfter, lastInvoiceCommand: "works", lastCounter: 0 }, swap(0));
  const last = answer.kind === "signature" && answer.signature.proven ? answer.signature : undefined;
  if (!last) {
    // The service asks this card again before the next sale. The card may then repeat a sale that it signed itself.
    const odd: Card = { ...cardAfter, lastInvoiceCommand: "odd" };
    return { card: odd, writes: [cardWrite(odd), ...swap()] };
  }
  const { totalCounter, bytes, header } = last;
  const second: Card = { ...cardAfter, lastInvoiceCommand: "works", lastCounter: totalCounter, lastBytes: bytes };
  const signedSale = card.open.find((one) => one.header === header);
  if (!signedSale) return giveUpAndReport(second, swap(totalCounter));
  const rest = giveUpAndReport({ ...second, open: card.open.filter((one) => one !== signedSale) }, swap(totalCounter));
  const { id, intent } = signedSale;
  return { ...rest, writes: [{ kind: "complete", id, intent, signature: last }, ...rest.writes] };
}
