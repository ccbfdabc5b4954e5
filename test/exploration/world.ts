/** A small world around the machine: POS, card, ledger. Plain data; each move creates a new one. */
import { type Asker, type Effect, type QueuedSale, START, type State } from "../../src/fiscalizer/protocol/state.js";
import { step } from "../../src/fiscalizer/protocol/step.js";
import { type Card, type CardName, newCard, type Signed, signWith } from "./card.js";
import { EMPTY, type Ledger } from "./ledger.js";
import type { Rule } from "./rules.js";

/** What the protocol only hands on, so that the model needs none of it. */
const POSTED = {} as QueuedSale["posted"];
const resolve: Asker["resolve"] = () => undefined;

export function asker(key: number): Asker {
  return { key, resolve };
}

export function queued(key: number, requestId: string, isTraining: boolean): QueuedSale {
  return { key, resolve, posted: POSTED, requestId, isTraining, left: false };
}

/** Type of invoice and of transaction. */
export type Kind = "Normal Sale" | "Normal Refund" | "Training Sale";

export interface Till {
  readonly requestId: string;
  readonly kind: Kind;
  readonly amount: number;
  /** Set when two sales have the same 57 bytes: the same millisecond and amount. */
  readonly header?: string;
}

/** The events of a world besides posts, each in words: once and more often. */
const EVENTS = {
  hangUps: ["POS hangs up", "POS hang up"],
  kills: ["kill", "kills"],
  cardFaults: ["fault of the card", "faults of the card"],
  diskFaults: ["refusal of the disk", "refusals of the disk"],
  swaps: ["card pulled or swapped", "cards pulled or swapped"],
  strangers: ["visit of another program", "visits of another program"],
  restores: ["restored backup", "restored backups"],
  rots: ["intent damaged on the disk", "intents damaged on the disk"],
  decisions: ["decision of a person", "decisions of a person"],
  audits: ["audit", "audits"],
  proofs: ["proof of audit, right or wrong", "proofs of audit, right or wrong"],
  keys: ["use of the card's key", "uses of the card's key"],
} as const;

type WorldEvent = keyof typeof EVENTS;

/** How often each event may still happen. */
export type Budget = { readonly posts: readonly number[] } & Readonly<Record<WorldEvent, number>>;

export type CardFault =
  | "refuses"
  | "refuses, PIN lost"
  /** It signs, and answers with a refusal of an earlier command. */
  | "signs and refuses"
  | "fails"
  | "signs and fails"
  | "damaged"
  | "broken"
  | "odd"
  | "away"
  | "no amounts"
  | "elsewhere"
  | "elsewhere, PIN lost"
  /** It signs or not, and answers with the proven signature of an earlier invoice. */
  | "stale"
  /** It acts, and the service meets an unexpected error before it has the result. */
  | "throws";

export interface Configuration {
  readonly name: string;
  readonly lastInvoiceCommand: "works" | "missing" | "odd";
  /** The kinds that add to the card's sum. */
  readonly counts: readonly Kind[];
  readonly tills: readonly Till[];
  readonly may: Partial<Budget>;
  readonly cardFaults?: readonly CardFault[];
  /** Other cards that may be inserted. */
  readonly others?: readonly Exclude<CardName, "card">[];
  /** The disk may keep what it has refused, until the next write. */
  readonly torn?: boolean;
  /** What may have happened before the exploration begins. */
  readonly before?: (world: World) => readonly World[];
  /** The card begins another session whenever it is asked for its last invoice. */
  readonly restless?: boolean;
  /** The exploration begins before the PIN is entered. */
  readonly locked?: boolean;
}

/** Facts that the machine cannot know. */
export interface Past {
  readonly signed: readonly Signed[];
  /** First answer that a POS got for each RequestId. */
  readonly answers: Readonly<Record<string, string>>;
  /** Sales whose POS hung up before their intent was durable. */
  readonly gone: readonly number[];
  /** Another program has signed since the service last learned the card's counter. */
  readonly stranger: boolean;
  /** The card has returned a counter that the ledger already has, and that is not reported yet. */
  readonly back: "no" | "may be reported" | "must be reported";
  /** Only everyday events have happened so far. */
  readonly plain: boolean;
  /** Bytes of signatures that a restored backup does not have. */
  readonly forgotten: readonly string[];
  /** Audits whose proof a card has accepted: the card's counter when each began. */
  readonly proven: Readonly<Record<string, number>>;
}

export interface World {
  readonly machine: State;
  /** The one effect without a result. */
  readonly inFlight: Effect | undefined;
  readonly ledger: Ledger;
  /** Refused by the disk; may appear after a crash. */
  readonly torn: Ledger | undefined;
  /** Without the rule `intentFirst`: the intent that a crash loses. */
  readonly unsynced: number | undefined;
  readonly backup: Ledger | undefined;
  readonly cards: readonly Card[];
  readonly inserted: number;
  readonly session: number;
  readonly pin: boolean;
  /** Key of the sale that each till waits for. */
  readonly waits: readonly (number | undefined)[];
  /** How often each till has posted. */
  readonly posted: readonly number[];
  readonly may: Budget;
  readonly past: Past;
  /** The proof that is sent to the card: the request that it is for, or "wrong". */
  readonly proof: string | undefined;
}

/** Constant while a configuration is explored. */
export interface Setting {
  readonly configuration: Configuration;
  /** The configuration's tills, and two more that check at the end that sales go on. */
  readonly tills: readonly (Till & { readonly name: string })[];
  readonly protocol: Protocol;
}

/** The service's protocol, or one that breaks a rule. */
export interface Protocol {
  readonly step: typeof step;
  readonly broken: Rule | undefined;
}

const PROTOCOL: Protocol = { step, broken: undefined };

/** Nothing more happens. */
export const NOTHING: Budget = {
  posts: [],
  ...(Object.fromEntries(Object.keys(EVENTS).map((event) => [event, 0])) as Record<WorldEvent, number>),
};

export function settingOf(configuration: Configuration, protocol: Protocol = PROTOCOL): Setting {
  const tills = configuration.tills.map((till, i) => ({ ...till, name: nameOf(i) }));
  const lesson = { name: "POS Y", requestId: "lesson-9", kind: "Training Sale", amount: 5 } as const;
  const later = { name: "POS Z", requestId: "order-9", kind: "Normal Sale", amount: 6 } as const;
  return { configuration, protocol, tills: [...tills, lesson, later] };
}

function nameOf(till: number): string {
  return `POS ${"ABC"[till]}`;
}

export function startsOf({ configuration, tills }: Setting): readonly World[] {
  const { others = [], may, before = (world) => [world] } = configuration;
  return before({
    machine: START,
    inFlight: undefined,
    ledger: EMPTY,
    torn: undefined,
    unsynced: undefined,
    backup: undefined,
    cards: [newCard("card"), ...others.map(newCard)],
    inserted: 0,
    session: 1,
    pin: false,
    waits: tills.map(() => undefined),
    posted: tills.map(() => 0),
    may: { ...NOTHING, ...may },
    proof: undefined,
    past: { signed: [], answers: {}, gone: [], stranger: false, back: "no", plain: true, forgotten: [], proven: {} },
  });
}

const MOST_POSTS = 10;

/** Names the n-th sale of a till. */
export function keyOf(till: number, n: number): number {
  return till * MOST_POSTS + n;
}

export function tillOf(key: number): number {
  return Math.floor(key / MOST_POSTS);
}

export function tillAt({ tills }: Setting, index: number): Setting["tills"][number] {
  const till = tills[index];
  if (!till) throw new Error(`there is no till ${index}`);
  return till;
}

export function cardIn({ cards, inserted }: World): Card {
  const card = cards[inserted];
  if (!card) throw new Error(`there is no card ${inserted}`);
  return card;
}

export function spend(world: World, what: WorldEvent): World {
  return { ...world, may: { ...world.may, [what]: world.may[what] - 1 } };
}

export function withPast(world: World, past: Partial<Past>): World {
  return { ...world, past: { ...world.past, ...past } };
}

/** The card in the reader signs. @param amount added to its sum @param sale none if another program asked */
export function withSignature(
  world: World,
  header: string,
  amount: number,
  { key, requestId }: { readonly key?: number | undefined; readonly requestId?: string | undefined } = {},
  broken = false,
): World {
  const card = signWith(cardIn(world), header, amount, broken);
  const { name, uid, counter, last } = card;
  const signature: Signed = { card: name, uid, counter, header, bytes: last?.bytes ?? "", key, requestId };
  const next: World = { ...world, cards: world.cards.with(world.inserted, card) };
  return withPast(next, { signed: [...world.past.signed, signature] });
}
