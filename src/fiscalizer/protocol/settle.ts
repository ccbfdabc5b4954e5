/** What the card's own words say of a sale in doubt, and of what the ledger does not have. */
import { inForce, type Rule } from "./rules.js";
import {
  type Amounts,
  type Card,
  type CardFacts,
  DAMAGED,
  type Open,
  type Signature,
  type Told,
  type Write,
} from "./state.js";

/** The card as it is known afterwards, and what the ledger is to write first. */
export interface Settled {
  readonly card: Card;
  readonly writes: readonly Write[];
}

/** The card has answered, in whatever way. */
type Reached = Exclude<Told, { told: "not-reached" }>;

export type AfterLast =
  | ({ readonly next: "settled" } & Settled)
  /** An answer that proves nothing may be a disturbance on the way. */
  | { readonly next: "ask-again"; readonly seen: Signature }
  | { readonly next: "ask-amounts"; readonly card: Card };

type Report = Extract<Write, { write: "report" }>;

function report(card: Card, kind: Report["kind"], from?: number, to = from, requestId?: string): Report {
  return { write: "report", uid: card.uid, kind, from, to, requestId };
}

function cardWrite({ uid, key, lastCounter, counting }: Card): Write {
  return { write: "card", uid, key, lastCounter, counting };
}

/** What the card has said so far of its last invoice. */
export interface Said {
  /** An unproven answer that the card gave before. */
  readonly seen: Signature | undefined;
  /** How often it was asked; `seen` is of the first time what it answered to the sale itself. */
  readonly asked: number;
}

export function settleByLast(card: Card, told: Told, said: Said, off?: Rule): AfterLast {
  if (told.told === "not-reached") return { next: "settled", card, writes: [] };
  if (told.told === "signature" && isUnproven(told.signature, off)) {
    const { signature } = told;
    const isRepeated = said.seen?.bytes === signature.bytes || !inForce("askAgain", off);
    if (!isRepeated) return { next: "ask-again", seen: signature };
  }
  if (isSecond(card, off)) return { next: "settled", ...swapped(card, told, off) };
  return settleSameCard(card, told, said, off);
}

function isUnproven({ proven }: Signature, off?: Rule): boolean {
  return !proven && inForce("proven", off);
}

function settleSameCard(card: Card, told: Reached, { asked }: Said, off?: Rule): AfterLast {
  switch (told.told) {
    case "no-command":
      return withoutLast({ ...card, tells: "amounts" });
    case "odd":
      return withoutLast({ ...card, tells: "odd" });
    case "nothing-signed":
      return { next: "settled", ...nothingSigned({ ...card, compared: true, tells: "last" }, off) };
    case "signature": {
      const { signature } = told;
      if (isUnproven(signature, off)) {
        if (saysNothing(card, signature, asked)) return withoutLast({ ...card, tells: "odd" });
        return { next: "settled", ...byUnproven({ ...card, compared: true, tells: "last" }, signature) };
      }
      return { next: "settled", ...bySignature({ ...card, compared: true, tells: "last" }, signature, off) };
    }
  }
}

/**
 * Unproven bytes are of a sale in doubt if the card gave them to the sale itself, or if they repeat its header. They are of the
 * sale before it if the ledger has them. A card may also give the same rubbish for every sale.
 */
function saysNothing({ open, lastUnproven }: Card, { bytes, header }: Signature, asked: number): boolean {
  const isKnown = asked === 1 || bytes === lastUnproven || open.some((one) => one.header === header);
  return open.length > 0 && !isKnown;
}

/** Sum and limit may still speak, where they were read before the card was asked. */
function withoutLast(card: Card): AfterLast {
  return card.open.some(({ before }) => before !== undefined)
    ? { next: "ask-amounts", card }
    : { next: "settled", card: { ...card, compared: true }, writes: [] };
}

function nothingSigned(card: Card, off?: Rule): Settled {
  return card.lastCounter > 0 ? wentBack(card, 0, undefined, off) : free(card);
}

function bySignature(card: Card, signature: Signature, off?: Rule): Settled {
  const { lastCounter, lastBytes, open } = card;
  const { totalCounter, bytes } = signature;
  const mine = open.find(({ header }) => header === signature.header || !inForce("sameHeader", off));
  if (mine && (bytes !== lastBytes || !inForce("notStored", off))) return afterSigned(card, mine, signature, off);
  if (totalCounter > lastCounter) return foreign(card, signature, off);
  const same = totalCounter === lastCounter && (lastBytes === undefined || lastBytes === bytes);
  return same ? free(card) : wentBack(card, totalCounter, bytes, off);
}

/** The card signed none of them: their RequestIds are free again. */
function free(card: Card): Settled {
  return { card: { ...card, open: [] }, writes: card.open.map(({ id }) => ({ write: "abandon", id })) };
}

/** Somebody else has used the card: what it tells is adopted, the rest is reported. */
function foreign(card: Card, signature: Signature, off?: Rule): Settled {
  const { totalCounter, bytes } = signature;
  const then: Card = { ...card, lastCounter: totalCounter, lastBytes: bytes, lastUnproven: undefined };
  // One signature, and it is not ours: nothing else was signed. A sale that is damaged in the ledger may be this one.
  const isOnlyOne = totalCounter === card.lastCounter + 1 && card.open.every(({ header }) => header !== DAMAGED);
  const others = isOnlyOne ? free(then) : lose(then, undefined, off);
  return {
    card: others.card,
    writes: [
      ...others.writes,
      { write: "adopt", uid: card.uid, signature },
      cardWrite(then),
      ...(inForce("gapReported", off) ? [report(card, "behind", card.lastCounter + 1, totalCounter)] : []),
    ],
  };
}

/** A second card with the same UID, or one that forgot. What became of a sale in doubt, it cannot say. */
function wentBack(card: Card, totalCounter: number, bytes: string | undefined, off?: Rule): Settled {
  const then: Card = { ...card, lastCounter: totalCounter, lastBytes: bytes, lastUnproven: undefined };
  return lostBy(then, inForce("backReported", off) ? [report(card, "back", card.lastCounter, totalCounter)] : [], off);
}

/** Whether another card had this UID before. */
function isSecond({ key, knownKey }: Card, off?: Rule): boolean {
  const isOther = key !== undefined && knownKey !== undefined && key !== knownKey;
  return isOther && inForce("swapReported", off);
}

/** What the ledger knows under this UID is of the first card: the second one says nothing of its sales in doubt. */
function swapped(card: Card, told: Reached, off?: Rule): Settled {
  const { uid, key, lastCounter } = card;
  const swap = (to: number | undefined): readonly Write[] => [
    { write: "report", uid, kind: "swapped", from: lastCounter, to, requestId: undefined },
  ];
  const then: Card = {
    ...{ ...card, knownKey: key, compared: true, counting: [], watched: undefined },
    ...{ lastBytes: undefined, lastUnproven: undefined },
  };
  if (told.told === "no-command") return lostBy({ ...then, tells: "amounts" }, swap(undefined), off);
  if (told.told === "nothing-signed") return lostBy({ ...then, tells: "last", lastCounter: 0 }, swap(0), off);
  const last = told.told === "signature" && !isUnproven(told.signature, off) ? told.signature : undefined;
  if (!last) {
    // It is asked again, and may have signed what was put to the first card.
    const odd: Card = { ...then, tells: "odd" };
    return { card: odd, writes: [cardWrite(odd), ...swap(undefined)] };
  }
  const { totalCounter, bytes, header } = last;
  const second: Card = { ...then, tells: "last", lastCounter: totalCounter, lastBytes: bytes };
  const mine = card.open.find((one) => one.header === header);
  if (!mine) return lostBy(second, swap(totalCounter), off);
  const rest = lostBy({ ...second, open: card.open.filter((one) => one !== mine) }, swap(totalCounter), off);
  return { ...rest, writes: [{ write: "complete", id: mine.id, signature: last }, ...rest.writes] };
}

function lostBy(card: Card, why: readonly Write[], off?: Rule): Settled {
  const { writes, card: then } = lose(card, undefined, off);
  return { card: then, writes: [...writes, cardWrite(then), ...why] };
}

/** @param from total counter of the first of them, where it is known */
function lose(card: Card, from: number | undefined, off?: Rule): Settled {
  if (!inForce("gapLoses", off)) return free(card);
  return {
    card: { ...card, open: [] },
    writes: card.open.flatMap(({ id, requestId }, i): Write[] => {
      const totalCounter = from === undefined ? undefined : from + i;
      return [{ write: "lose", id, totalCounter }, report(card, "lost", totalCounter, totalCounter, requestId)];
    }),
  };
}

/** The card repeats bytes that nothing proves: they are kept, marked, and never handed out as a receipt. */
function byUnproven(card: Card, signature: Signature): Settled {
  const { bytes, header } = signature;
  if (bytes === card.lastUnproven) return free(card);
  const mine = card.open.find((one) => one.header === header) ?? card.open.at(-1);
  if (!mine) return { card, writes: [report(card, "unproven")] };
  const lastCounter = card.lastCounter + 1;
  const lastUnproven = mine.header === header ? bytes : undefined;
  const open = card.open.filter((one) => one !== mine);
  const then: Card = { ...card, lastCounter, lastBytes: undefined, lastUnproven, open };
  const rest = lose(then, undefined);
  return {
    card: rest.card,
    writes: [
      { write: "unproven", uid: card.uid, id: mine.id, totalCounter: lastCounter, signature },
      report(card, "unproven", lastCounter, lastCounter, mine.requestId),
      ...rest.writes,
      cardWrite(then),
    ],
  };
}

/** The card has signed `mine`; its counter decides what else is in doubt. */
export function afterSigned(card: Card, mine: Open, signature: Signature, off?: Rule): Settled {
  const { totalCounter, bytes } = signature;
  const skipped = totalCounter - card.lastCounter - 1;
  const others = card.open.filter(({ id }) => id !== mine.id);
  const then: Card = {
    ...card,
    ...{ lastCounter: totalCounter, lastBytes: bytes, open: others },
    counting: skipped === 0 ? learned(card, mine) : card.counting,
    watched: watched(mine),
  };
  const writes: Write[] = [{ write: "complete", id: mine.id, signature }];
  const explained = skipped === others.length;
  const rest = skipped === 0 ? free(then) : lose(then, explained ? card.lastCounter + 1 : undefined, off);
  writes.push(...rest.writes, cardWrite(then));
  if (skipped < 0 && inForce("backReported", off)) {
    writes.push(report(card, "back", card.lastCounter, totalCounter));
  }
  if (skipped > 0 && !explained && inForce("gapReported", off)) {
    writes.push(report(card, "behind", card.lastCounter + 1, totalCounter - 1));
  }
  return { card: rest.card, writes };
}

/** What the next sale shows: a sale that is worth nothing shows nothing. */
function watched({ kind, amount, before }: Open): Card["watched"] {
  return before && amount > 0n ? { kind, expected: { ...before, sum: before.sum + amount } } : undefined;
}

/** Nothing was signed between the two: the amounts before the second one show whether the first one's kind counts. */
function learned({ counting, watched }: Card, { before }: Open): readonly string[] {
  if (!watched || !before || counting.includes(watched.kind)) return counting;
  const { sum, limit } = watched.expected;
  return before.sum === sum && before.limit === limit ? [...counting, watched.kind] : counting;
}

/** Of a card that cannot tell its last invoice: has the sum moved by just this sale? */
export function settleByAmounts(card: Card, amounts: Amounts | undefined, off?: Rule): Settled {
  const then: Card = { ...card, compared: true };
  const [mine, ...others] = card.open;
  // More than one, or one that is worth nothing: the sum cannot tell.
  if (!mine?.before || !amounts || others.length > 0 || mine.amount <= 0n) return { card: then, writes: [] };
  if (amounts.limit !== mine.before.limit) return { card: then, writes: [] };
  const moved = amounts.sum - mine.before.sum;
  if (moved === mine.amount) {
    const lastCounter = card.lastCounter + 1;
    const lost = lose({ ...then, lastCounter, lastBytes: undefined, lastUnproven: undefined }, lastCounter, off);
    return { card: lost.card, writes: [...lost.writes, cardWrite(lost.card)] };
  }
  const counts = card.counting.includes(mine.kind) || !inForce("countingOnly", off);
  return moved === 0n && counts ? free(then) : { card: then, writes: [] };
}

/**
 * A person has said what became of a sale in doubt.
 * @param card as the ledger knows it @returns nothing where no such sale is in doubt
 */
export function writesOfDecision(
  { uid, knownKey, lastCounter, counting, open }: CardFacts,
  id: number,
  signed: boolean,
): readonly Write[] {
  const decided = open.find((candidate) => candidate.id === id);
  if (!decided) return [];
  const { requestId } = decided;
  const report = { write: "report", uid, kind: "decided", requestId } as const;
  if (!signed)
    return [
      { write: "abandon", id },
      { ...report, from: undefined, to: undefined },
    ];
  const totalCounter = lastCounter + 1;
  return [
    { write: "lose", id, totalCounter },
    { write: "card", uid, key: knownKey, lastCounter: totalCounter, counting },
    { ...report, from: totalCounter, to: totalCounter },
  ];
}
