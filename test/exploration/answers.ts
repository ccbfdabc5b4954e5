/** The possible results of the effect that is in flight: first without a fault, then with faults. */

import type { Amounts } from "../../src/fiscal/limit.js";
import { eventOfException } from "../../src/fiscalizer/protocol/exception.js";
import type { Effect, LastInvoiceAnswer, Signature, SoldSale } from "../../src/fiscalizer/protocol/state.js";
import type { Entry as StoredEntry } from "../../src/ledger/ledger.js";
import { answersToAudit } from "./audits.js";
import { amountsOf, lastOf } from "./card.js";
import { answered } from "./dispatch.js";
import type { Move } from "./explore.js";
import { requireMaySign, requireRight } from "./invariants.js";
import {
  cardRead,
  type Entry,
  type Ledger,
  ofRequest,
  openIn,
  openOf,
  withAuditWrite,
  withIntent,
  withWrites,
} from "./ledger.js";
import { wordsOf } from "./words.js";
import {
  type CardFault,
  cardIn,
  type Setting,
  spend,
  tillAt,
  tillOf,
  type World,
  withPast,
  withSignature,
} from "./world.js";

type InFlight = Exclude<Effect, { kind: "reply" }>;
type Writing = Extract<InFlight, { kind: "write" }>;
type Begin = Extract<InFlight, { kind: "begin" }>;

const DISK_FULL = "the disk is full";
/** Of a sale. */
const RARE_FAULTS = ["signs and refuses", "refuses, PIN lost", "elsewhere", "elsewhere, PIN lost", "throws"] as const;

export function answersTo(setting: Setting, world: World, effect: InFlight): readonly Move<World>[] {
  switch (effect.kind) {
    case "begin":
      return [...begin(setting, world, effect), ...throws(setting, world, effect)];
    case "read-card": {
      const to = () => answered(setting, world, readCard(world, effect.uid));
      return [{ words: "", to }, ...diskFault(setting, world)];
    }
    case "look-up":
      return [{ words: "", to: () => lookUp(setting, world, effect.sale.key) }, ...diskFault(setting, world)];
    case "read-last-invoice":
      return [...readLastInvoice(setting, world, effect.uid), ...throws(setting, world, effect)];
    case "read-amounts":
      return [...readAmounts(setting, world, effect.uid), ...throws(setting, world, effect)];
    case "write":
      return [
        { words: wordsOfWrite(setting, world, effect), to: () => write(setting, world, effect) },
        ...withoutAhead(setting, world, effect),
        ...diskFault(setting, world, () => ledgerAfter(setting, world, effect)),
      ];
    case "sign":
      return sign(setting, world, effect);
    case "use-key":
      return useKey(setting, world);
    case "start-audit":
    case "end-audit":
    case "write-audit":
      return [
        ...answersToAudit(setting, world, effect),
        ...(effect.kind === "write-audit" ? diskFault(setting, world) : []),
      ];
  }
}

/** The card has answered a question, and the service meets an unexpected error. */
function throws(setting: Setting, world: World, effect: InFlight): Move<World>[] {
  const to = () => thrown(setting, spend(world, "cardFaults"), effect);
  return named(setting, world, "throws").map(() => ({ words: `the card answers, ${THROWS}`, to }));
}

export function ledgerAfter(setting: Setting, world: World, effect: InFlight): Ledger {
  if (effect.kind === "write") return withAhead(setting, world, effect);
  if (effect.kind === "write-audit") return withAuditWrite(world.ledger, effect.write);
  return effect.kind === "begin"
    ? withIntentOf(setting, world, world.ledger, effect.sale.key, amountsBefore(world, effect))
    : world.ledger;
}

function withIntentOf(setting: Setting, world: World, ledger: Ledger, key: number, before?: Amounts): Ledger {
  const { requestId, kind, amount, header = `sale ${key}` } = tillAt(setting, tillOf(key));
  const { uid } = cardIn(world);
  return withIntent(ledger, { key, uid, requestId, header, kind, amount: BigInt(amount), before });
}

/** Includes the intent of the next sale when the service would. */
function withAhead(setting: Setting, world: World, { writes, ahead }: Writing): Ledger {
  const ledger = withWrites(world.ledger, writes);
  return ahead && goesAlong(setting, world, ahead) ? withIntentOf(setting, world, ledger, ahead.sale.key) : ledger;
}

function goesAlong(setting: Setting, world: World, { sale, uid, session }: NonNullable<Writing["ahead"]>): boolean {
  const { requestId } = tillAt(setting, tillOf(sale.key));
  return isThere(world, uid) && world.session === session && !ofRequest(world.ledger, requestId);
}

function wordsOfWrite(setting: Setting, world: World, effect: Writing): string {
  const words = wordsOf(effect.writes, world.ledger);
  if (!effect.ahead || !goesAlong(setting, world, effect.ahead)) return words;
  return `${words}, with the intent of ${tillAt(setting, tillOf(effect.ahead.sale.key)).requestId}`;
}

/** The disk has room only for the answer. */
function withoutAhead(setting: Setting, world: World, effect: Writing): Move<World>[] {
  if (world.may.diskFaults === 0 || !effect.ahead || !goesAlong(setting, world, effect.ahead)) return [];
  const to = () => write(setting, spend(world, "diskFaults"), { ...effect, ahead: undefined });
  return [{ words: `${wordsOf(effect.writes, world.ledger)}, and nothing else fits on the disk`, to }];
}

function readCard(world: World, uid: string) {
  const { uid: inserted, key } = cardIn(world);
  return { kind: "card-read", card: cardRead(world.ledger, uid, inserted === uid ? key : undefined) } as const;
}

/** The protocol reads only the state of an entry. */
function entryOf(entry: Entry | undefined): StoredEntry | undefined {
  return entry && ({ state: entry.state } as StoredEntry);
}

function lookUp(setting: Setting, world: World, key: number): World {
  const { requestId } = tillAt(setting, tillOf(key));
  return answered(setting, world, { kind: "looked-up", entry: entryOf(ofRequest(world.ledger, requestId)) });
}

/**
 * @param kept what a disk that fails late may have written nevertheless; it appears after a crash
 * @param failure `intent-failed` if the disk has no room for the intent
 */
function diskFault(
  setting: Setting,
  world: World,
  kept?: () => Ledger,
  failure: "ledger-failed" | "intent-failed" = "ledger-failed",
): Move<World>[] {
  if (world.may.diskFaults === 0) return [];
  const to = () => {
    const torn = setting.configuration.torn && kept ? kept() : undefined;
    return answered(setting, { ...spend(world, "diskFaults"), torn }, { kind: failure, why: DISK_FULL });
  };
  return [{ words: failure === "intent-failed" ? `${DISK_FULL} for the intent` : DISK_FULL, to }];
}

function amountsBefore(world: World, { amounts }: Begin): Amounts | undefined {
  return amounts ? amountsOf(cardIn(world)) : undefined;
}

/** Whether the service would write the intent of this sale. */
export function beginsSale(setting: Setting, world: World, { sale, on, inTurn }: Begin): boolean {
  if (!on || !isThere(world, on.uid) || (!inTurn && on.session !== world.session)) return false;
  return !known(setting, world, sale.key);
}

/** The ledger's entry of a sale. The ledger keeps the rule `lookUpInTurn`, so its model breaks it. */
function known(setting: Setting, { ledger }: World, key: number): Entry | undefined {
  if (setting.protocol.broken === "lookUpInTurn") return undefined;
  return ofRequest(ledger, tillAt(setting, tillOf(key)).requestId);
}

function begin(setting: Setting, world: World, effect: Begin): Move<World>[] {
  const { sale, on, inTurn, amounts } = effect;
  const { key } = sale;
  const refused = (why: string) => [{ words: why, to: () => answered(setting, world, { kind: "refused", why }) }];
  if (!world.pin) return refused("the card needs its PIN");
  const { session } = world;
  const { uid } = cardIn(world);
  if (!on || (!inTurn && (on.uid !== uid || on.session !== session))) {
    return [{ words: "", to: () => answered(setting, world, { kind: "to-compare", uid, session }) }];
  }
  if (on.uid !== uid) return refused("the card is not there any more");
  const entry = known(setting, world, key);
  const { requestId } = tillAt(setting, tillOf(key));
  if (entry) {
    const to = () => answered(setting, world, { kind: "looked-up", entry: entryOf(entry) });
    return [{ words: "", to }, ...diskFault(setting, world)];
  }
  const writes = (from: World, words: string, before?: Amounts): Move<World> => ({
    words: `${words}the intent of ${requestId} is written`,
    to: () => intentWritten(setting, from, withIntentOf(setting, from, from.ledger, key, before)),
  });
  const struck = spend(world, "cardFaults");
  return [
    writes(world, "", amountsBefore(world, effect)),
    ...(amounts ? faults(setting, world, "no amounts") : []).map(() =>
      writes(struck, "the card does not give its sum, and "),
    ),
    ...diskFault(setting, world),
    ...diskFault(setting, world, () => ledgerAfter(setting, world, effect), "intent-failed"),
  ];
}

function intentWritten(setting: Setting, world: World, ledger: Ledger): World {
  const entry = ledger.entries.at(-1) as Entry;
  const unsynced = setting.protocol.broken === "intentFirst" ? entry.id : undefined;
  const next: World = { ...withPast(world, { plain: isPlain(world) }), ledger, unsynced, torn: undefined };
  return answered(setting, next, { kind: "intent-written", open: openOf(entry) });
}

/** Nothing unusual happened before, and card and ledger agree. */
function isPlain({ past, machine, ledger, ...world }: World): boolean {
  const card = world.cards[world.inserted];
  if (past.plain || !card || card.broken || openIn(ledger, card.uid).length > 0) return past.plain;
  const { lastBytes = card.last?.bytes } = cardRead(ledger, card.uid);
  const isSame = machine.card?.lastCounter === card.counter && lastBytes === card.last?.bytes;
  return machine.card?.uid === card.uid && isSame;
}

function write(setting: Setting, world: World, effect: Writing): World {
  requireRight(setting, world, effect.writes);
  const ledger = ledgerAfter(setting, world, effect);
  const reported = effect.writes.some(
    (change) => change.kind === "report" && (change.reportKind === "back" || change.reportKind === "swapped"),
  );
  const back = reported ? "no" : world.past.back;
  const begun = ledger.entries.find(({ key, state }) => key === effect.ahead?.sale.key && state === "intent");
  const { machine } = world;
  const { doing } = machine;
  // How the machine knows the card once the answer is written.
  const known = doing.kind === "writing-answer" ? { ...machine, card: doing.after } : machine;
  const before = { ...world, machine: known, ledger: withWrites(world.ledger, effect.writes) };
  const plain = begun ? isPlain(before) : world.past.plain;
  const next: World = { ...withPast(world, { back, plain }), ledger, unsynced: undefined, torn: undefined };
  return answered(setting, next, { kind: "written", sold: soldBy(effect), ahead: begun && openOf(begun) });
}

function soldBy({ writes }: Writing): SoldSale | undefined {
  const complete = writes.find((write) => write.kind === "complete");
  return complete && { id: complete.id, answer: complete.signature.bytes, intent: undefined };
}

/** Card faults that may still happen. */
export function faults({ configuration }: Setting, { may }: World, ...kinds: CardFault[]): CardFault[] {
  if (may.cardFaults === 0) return [];
  const { cardFaults } = configuration;
  return cardFaults ? kinds.filter((kind) => cardFaults.includes(kind)) : kinds;
}

/** Those that happen only in configurations that name them. */
function named({ configuration: { cardFaults = [] } }: Setting, { may }: World, ...kinds: CardFault[]): CardFault[] {
  return may.cardFaults === 0 ? [] : kinds.filter((kind) => cardFaults.includes(kind));
}

export function isThere(world: World, uid: string): boolean {
  return world.pin && cardIn(world).uid === uid;
}

/** The service has learned the card's counter. */
function withCounterRead(world: World, counter: number): World {
  const { uid, key, last } = cardIn(world);
  const { lastCounter, lastBytes, knownKey = key } = cardRead(world.ledger, uid);
  const isOther = counter === lastCounter && lastBytes !== last?.bytes;
  const { machine, session } = world;
  const known = machine.card?.session === session ? machine.card.lastBytes : undefined;
  const isBack = counter < lastCounter || (isOther && lastBytes !== undefined && known !== last?.bytes);
  const owed = world.past.back === "must be reported" || isBack || knownKey !== key;
  const back = owed ? "must be reported" : isOther ? "may be reported" : "no";
  return withPast(world, { stranger: false, back });
}

function readLastInvoice(setting: Setting, world: World, uid: string): Move<World>[] {
  const lastInvoice = (words: string, answer: LastInvoiceAnswer, from = world): Move<World> => ({
    words,
    to: () => {
      const isProof = answer.kind === "signature" && answer.signature.proven;
      const counter = isProof ? answer.signature.totalCounter : answer.kind === "nothing-signed" ? 0 : undefined;
      const known = counter === undefined ? from : withCounterRead(from, counter);
      // Two sessions take turns, so that a service that compares for ever runs in a circle.
      const session = setting.configuration.restless ? 3 - known.session : known.session;
      return answered(setting, { ...known, session }, { kind: "last-invoice-read", answer });
    },
  });
  if (!isThere(world, uid)) return [lastInvoice("", { kind: "not-reached", reason: "it is gone" })];
  const { lastInvoiceCommand } = setting.configuration;
  if (lastInvoiceCommand === "missing") return [lastInvoice("", { kind: "no-command" })];
  const odd: LastInvoiceAnswer = { kind: "odd", reason: "nonsense" };
  if (lastInvoiceCommand === "odd") return [lastInvoice("the card answers nonsense", odd)];
  const card = cardIn(world);
  const signature = lastOf(card);
  const undisturbed = signature
    ? lastInvoice(`the card repeats invoice ${card.counter}`, { kind: "signature", signature })
    : lastInvoice("the card says that it has signed nothing", { kind: "nothing-signed" });
  const struck = spend(world, "cardFaults");
  return [
    undisturbed,
    ...faults(setting, world, "damaged", "odd", "away").flatMap((fault): Move<World>[] => {
      if (fault === "odd") return [lastInvoice("the card answers nonsense", odd, struck)];
      if (fault === "away")
        return [lastInvoice("the card does not answer", { kind: "not-reached", reason: "gone" }, struck)];
      const signature = lastOf(card, world.may.cardFaults);
      const words = "the card repeats its last invoice, and it arrives damaged";
      return signature ? [lastInvoice(words, { kind: "signature", signature }, struck)] : [];
    }),
  ];
}

function readAmounts(setting: Setting, world: World, uid: string): Move<World>[] {
  const withoutAmounts = (words: string, from: World): Move<World> => ({
    words,
    to: () => answered(setting, from, { kind: "amounts-read", amounts: undefined }),
  });
  if (!isThere(world, uid)) return [withoutAmounts("", world)];
  const amounts = amountsOf(cardIn(world));
  return [
    { words: "", to: () => answered(setting, world, { kind: "amounts-read", amounts }) },
    ...faults(setting, world, "no amounts").map(() =>
      withoutAmounts("the card does not give its sum", spend(world, "cardFaults")),
    ),
  ];
}

function sign(setting: Setting, world: World, effect: Extract<InFlight, { kind: "sign" }>): Move<World>[] {
  const { key, open, uid } = effect;
  const { id } = open;
  const { requestId } = tillAt(setting, tillOf(key));
  const refused = (words: string, from: () => World, byCard = true): Move<World> => ({
    words,
    to: () => answered(setting, from(), { kind: "not-signed", why: words, byCard }),
  });
  if (!isThere(world, uid)) return [refused("the card is not there any more", () => world, false)];
  const struck = spend(world, "cardFaults");
  const counter = cardIn(world).counter + 1;
  const answer = (from: World, broken = false, disturbed?: number): World => {
    const after = signed(setting, from, key, id, broken);
    const signature = lastOf(cardIn(after), disturbed) as Signature;
    const known = signature.proven ? withCounterRead(after, counter) : after;
    return answered(setting, known, { kind: "signed", signature });
  };
  const unknown = (from: World) => answered(setting, from, { kind: "unknown", reason: "the card broke off" });
  const elsewhere = (words: string, pin: boolean): Move<World> => ({
    words,
    to: () => answered(setting, inNewSession(struck, pin), { kind: "applet-lost" }),
  });
  const struckBy = (fault: CardFault): Move<World> => {
    switch (fault) {
      case "refuses":
        return refused(`the card refuses ${requestId}`, () => struck);
      case "refuses, PIN lost":
        return refused(`the card refuses ${requestId} and needs its PIN`, () => ({ ...struck, pin: false }));
      case "signs and refuses":
        return refused(`the card signs ${requestId} as ${counter}, and answers with an old refusal`, () =>
          signed(setting, struck, key, id),
        );
      case "fails":
        return { words: `the card breaks off before it signs ${requestId}`, to: () => unknown(struck) };
      case "signs and fails":
        return {
          words: `the card signs ${requestId} as ${counter}, and its answer is lost`,
          to: () => unknown(signed(setting, struck, key, id)),
        };
      case "damaged":
        return {
          words: `the card signs ${requestId} as ${counter}, and its answer arrives damaged`,
          to: () => answer(struck, false, world.may.cardFaults),
        };
      case "elsewhere":
        return elsewhere("the card was with another applet", true);
      case "elsewhere, PIN lost":
        return elsewhere("the card was with another applet and needs its PIN", false);
      case "throws":
        return {
          words: `the card signs ${requestId} as ${counter}, ${THROWS}`,
          to: () => thrown(setting, signed(setting, struck, key, id), effect),
        };
      default:
        return {
          words: `the card signs ${requestId} as ${counter}, and keeps its answer damaged`,
          to: () => answer(withPast(struck, { plain: false }), true),
        };
    }
  };
  return [
    { words: `the card signs ${requestId} as ${counter}`, to: () => answer(world) },
    ...faults(setting, world, "refuses", "fails", "signs and fails", "damaged", "broken").map(struckBy),
    ...named(setting, world, ...RARE_FAULTS).map(struckBy),
    ...named(setting, world, "stale").flatMap(() => staleAnswers(setting, struck, effect)),
  ];
}

/** The card's other applet signs for the connection to the authority. Whether it does makes no difference to the sales. */
function useKey(setting: Setting, world: World): Move<World>[] {
  const used = (words: string, from: World): Move<World> => ({
    words,
    to: () => answered(setting, from, { kind: "key-used" }),
  });
  return [
    used("the card's key was used", inNewSession(world, world.pin)),
    ...named(setting, world, "elsewhere, PIN lost").map(() =>
      used("the card's key was used, and the card needs its PIN", inNewSession(spend(world, "cardFaults"), false)),
    ),
  ];
}

/** The applet was selected again. @param pin whether the PIN was verified again */
function inNewSession(world: World, pin: boolean): World {
  return { ...world, session: world.session + 1, pin };
}

/**
 * The card answers with the signature of one of its earlier invoices, whether it has signed this sale or not. In the worlds
 * with this fault, each signature that a card has made is proven.
 */
function staleAnswers(
  setting: Setting,
  world: World,
  { key, open }: Extract<InFlight, { kind: "sign" }>,
): Move<World>[] {
  const card = cardIn(world);
  const { requestId } = tillAt(setting, tillOf(key));
  const earlier = world.past.signed.filter((signature) => signature.card === card.name);
  return earlier.flatMap(({ counter, header, bytes }): Move<World>[] => {
    const signature: Signature = { totalCounter: counter, header, bytes, proven: true };
    const answer = (from: World) => answered(setting, from, { kind: "signed", signature });
    const words = `answers with the proven signature of invoice ${counter}`;
    return [
      { words: `the card does not sign ${requestId}, and ${words}`, to: () => answer(world) },
      {
        words: `the card signs ${requestId} as ${card.counter + 1}, and ${words}`,
        to: () => answer(signed(setting, world, key, open.id)),
      },
    ];
  });
}

/** Describes an exception in words, after what the card did. */
export const THROWS = "and the service meets an unexpected error";

/** The service meets an unexpected error before it has the effect's result. */
export function thrown(setting: Setting, world: World, effect: InFlight): World {
  return answered(setting, world, eventOfException(effect, { why: undefined, reason: "unexpected", ofLedger: false }));
}

/** The card signs; its answer may still be lost. @throws Violation when it must not be asked to */
export function signed(setting: Setting, world: World, key: number, id: number, broken = false): World {
  requireMaySign(setting, world, key);
  const { requestId } = tillAt(setting, tillOf(key));
  const entry = world.ledger.entries.find((candidate) => candidate.id === id);
  if (!entry) throw new Error(`the intent ${id} is not in the ledger`);
  const counts = setting.configuration.counts.some((counting) => counting === entry.kind);
  return withSignature(world, entry.header, counts ? Number(entry.amount) : 0, { key, requestId }, broken);
}
