/** The worlds that are explored, and their bounds. */
import { type Signed, signWith } from "./card.js";
import { withIntent, withWrites } from "./ledger.js";
import { type Configuration, type Kind, keyOf, type Till, type World, withPast } from "./world.js";

export const A: Till = { requestId: "order-1", kind: "Normal Sale", amount: 10 };
export const B: Till = { requestId: "order-2", kind: "Normal Sale", amount: 20 };
export const C: Till = { requestId: "order-3", kind: "Normal Sale", amount: 30 };
const SAME: Till = { ...B, requestId: "order-1", amount: 10 };
const LESSON: Till = { ...A, requestId: "lesson-1", kind: "Training Sale" };
export const REFUND: Till = { ...B, requestId: "refund-1", kind: "Normal Refund" };
const REFUND_2: Till = { ...REFUND, requestId: "refund-2" };
const counts: readonly Kind[] = ["Normal Sale"];

/** A card with the command for its last invoice. */
export const LAST = { lastInvoiceCommand: "works", counts } as const;
/** A card without that command. */
export const AMOUNTS = { lastInvoiceCommand: "missing", counts } as const;

/** The card has signed twice before; a second one, which has signed once, is behind it. */
export function ahead(world: World): readonly World[] {
  const [card, ...others] = world.cards;
  if (!card) return [];
  const last = { header: "before", bytes: "card 2" };
  const signature = { ...last, totalCounter: 2, proven: true };
  const ledger = withWrites(world.ledger, [
    { kind: "adopt", uid: "A", signature },
    { kind: "card", uid: "A", key: "card", lastCounter: 2, counting: [] },
  ]);
  return [{ ...world, ledger, cards: [{ ...card, counter: 2, last }, ...others] }];
}

/** The card has lost its memory and signed again up to the ledger's counter. A sale is in doubt or not. */
function sameCounterOtherBytes(world: World): readonly World[] {
  return ahead(world).flatMap((at) => {
    const [card, ...others] = at.cards;
    if (!card) return [];
    const last = { header: "again", bytes: "card 2 again" };
    const of = { key: undefined, requestId: undefined };
    const signature: Signed = { card: card.name, uid: card.uid, counter: 2, ...last, ...of };
    const again: World = {
      ...withPast(at, { signed: [signature], plain: false }),
      cards: [{ ...card, last }, ...others],
    };
    return [again, { ...again, ledger: withIntent(again.ledger, intentOf(A, 0)), posted: again.posted.with(0, 1) }];
  });
}

function intentOf({ requestId, kind, amount }: Till, i: number) {
  const key = keyOf(i, 0);
  return { key, uid: "A", requestId, kind, amount: BigInt(amount), header: `sale ${key}`, before: undefined };
}

/** Two sales in doubt, in case this service's rules should fail to prevent a second one. The card has signed none, one or both. */
function twoInDoubt(world: World): readonly World[] {
  const ledger = [A, B].map(intentOf).reduce(withIntent, world.ledger);
  const open: World = { ...withPast(world, { plain: false }), ledger, posted: world.posted.with(0, 1).with(1, 1) };
  return [[], [0], [1], [0, 1]].map((signed) => signed.reduce((at, i) => signedBefore(at, keyOf(i, 0)), open));
}

function signedBefore(world: World, key: number): World {
  const entry = world.ledger.entries.find((candidate) => candidate.key === key);
  const [before, ...others] = world.cards;
  if (!entry || !before) return world;
  const { header, requestId, amount } = entry;
  const card = signWith(before, header, Number(amount));
  const { name, uid, counter, last } = card;
  const signature: Signed = { card: name, uid, counter, header, bytes: last?.bytes ?? "", key, requestId };
  return { ...withPast(world, { signed: [...world.past.signed, signature] }), cards: [card, ...others] };
}

/** Small worlds that noticed every noticed change of a sample of the protocol's source. `npm test` explores these. */
export const SMALLEST: readonly Configuration[] = [
  {
    ...LAST,
    name: "a card that fails",
    tills: [A],
    may: { posts: [2], kills: 1, cardFaults: 3 },
  },
  {
    ...LAST,
    name: "an older signature than the last as the answer",
    tills: [A, B, C],
    cardFaults: ["stale"],
    may: { posts: [1, 1, 1], cardFaults: 1 },
  },
  {
    ...LAST,
    name: "an earlier refusal as the answer",
    tills: [A, B],
    cardFaults: ["signs and refuses", "refuses", "refuses, PIN lost", "away", "damaged"],
    may: { posts: [2, 1], cardFaults: 2, kills: 1 },
  },
  {
    ...LAST,
    name: "the answer of an earlier sale with the same 57 bytes",
    tills: sameHeader(A, B),
    cardFaults: ["stale"],
    may: { posts: [1, 2], cardFaults: 1, kills: 1 },
  },
  {
    ...LAST,
    name: "another program at the card",
    tills: [A],
    may: { posts: [2], strangers: 1, kills: 1, cardFaults: 2 },
  },
  {
    ...LAST,
    name: "a card with the ledger's counter and another invoice",
    tills: [A, B],
    before: sameCounterOtherBytes,
    locked: true,
    may: { posts: [2, 1], cardFaults: 1, kills: 1 },
  },
  {
    ...LAST,
    name: "a card that begins a session at each comparison",
    restless: true,
    tills: [A, B],
    may: { posts: [2, 1], cardFaults: 1, kills: 1 },
  },
  {
    ...AMOUNTS,
    name: "no such command, and a second card with the same UID",
    tills: [A],
    others: ["twin"],
    may: { posts: [2], cardFaults: 1, kills: 1, swaps: 1 },
  },
  {
    ...LAST,
    name: "an intent that is damaged on the disk",
    tills: [A],
    may: { posts: [2], cardFaults: 1, kills: 1, strangers: 1, rots: 1 },
  },
  {
    ...AMOUNTS,
    name: "no such command, and a sale that is worth nothing",
    tills: [{ ...REFUND, amount: 0 }, A, REFUND_2],
    cardFaults: ["signs and fails"],
    may: { posts: [1, 1, 2], cardFaults: 1 },
  },
  {
    ...AMOUNTS,
    name: "no such command, and a Training receipt",
    tills: [REFUND, LESSON],
    may: { posts: [2, 1], cardFaults: 2, kills: 1 },
  },
  {
    ...AMOUNTS,
    name: "no such command, and a restored backup",
    tills: [A, LESSON],
    may: { posts: [2, 1], cardFaults: 1, restores: 1 },
  },
  {
    ...LAST,
    name: "a person decides",
    tills: [A, B],
    others: ["other"],
    may: { posts: [2, 1], cardFaults: 1, swaps: 1, decisions: 1 },
  },
  {
    ...LAST,
    name: "two audits",
    tills: [A],
    may: { posts: [1], diskFaults: 1, kills: 1, audits: 2, proofs: 2 },
  },
  {
    ...AMOUNTS,
    name: "no such command, and the card's key is used",
    tills: [A, REFUND],
    cardFaults: ["elsewhere", "fails", "signs and fails"],
    may: { posts: [2, 1], cardFaults: 2, keys: 1 },
  },
];

/** All worlds. `npm run explore` explores them. */
export const CONFIGURATIONS: readonly Configuration[] = [
  ...SMALLEST,
  {
    ...LAST,
    name: "one POS",
    tills: [A],
    may: { posts: [2], hangUps: 1, kills: 1, cardFaults: 1, diskFaults: 1, swaps: 1 },
  },
  {
    ...LAST,
    name: "two POS",
    tills: [A, B],
    may: { posts: [2, 1], hangUps: 1, kills: 1, cardFaults: 1, diskFaults: 1 },
  },
  {
    ...LAST,
    name: "two POS with the same RequestId",
    tills: [A, SAME],
    may: { posts: [2, 1], hangUps: 1, kills: 1, cardFaults: 1, diskFaults: 1 },
  },
  {
    ...LAST,
    name: "two sales with the same 57 bytes",
    tills: sameHeader(A, B),
    may: { posts: [2, 2], kills: 1, cardFaults: 2 },
  },
  {
    ...LAST,
    name: "an earlier signature as the answer",
    tills: [A, B],
    cardFaults: ["stale", "signs and fails", "throws"],
    may: { posts: [2, 2], cardFaults: 2, kills: 1 },
  },
  {
    ...LAST,
    name: "an unexpected error after the card has acted",
    tills: [A, B],
    cardFaults: ["throws"],
    may: { posts: [2, 1], cardFaults: 2, diskFaults: 1, kills: 1, swaps: 1 },
  },
  {
    ...LAST,
    name: "a second card with the same UID",
    tills: [A, B],
    others: ["twin"],
    before: ahead,
    may: { posts: [1, 1], cardFaults: 1, kills: 1, swaps: 1 },
  },
  {
    ...LAST,
    name: "a second card with the same UID, and back",
    tills: [A, B],
    others: ["twin"],
    before: ahead,
    may: { posts: [2, 1], swaps: 2 },
  },
  {
    ...LAST,
    name: "a card that has lost its memory",
    tills: [A, B],
    others: ["older"],
    before: ahead,
    may: { posts: [1, 1], cardFaults: 1, kills: 1, swaps: 1 },
  },
  {
    ...LAST,
    name: "two cards",
    tills: [A, B],
    others: ["other"],
    may: { posts: [2, 1], cardFaults: 1, swaps: 2 },
  },
  {
    ...LAST,
    name: "a restored backup",
    tills: [A, B],
    may: { posts: [2, 1], cardFaults: 1, kills: 1, restores: 1 },
  },
  {
    ...LAST,
    name: "damaged answers",
    tills: [A, B],
    cardFaults: ["damaged", "broken", "odd", "signs and fails", "fails"],
    may: { posts: [2, 1], cardFaults: 3, kills: 1 },
  },
  {
    ...LAST,
    name: "a full disk",
    tills: [A, B],
    torn: true,
    may: { posts: [2, 1], cardFaults: 1, diskFaults: 3, kills: 1 },
  },
  {
    ...LAST,
    name: "two sales in doubt",
    tills: [A, B],
    before: twoInDoubt,
    locked: true,
    may: { posts: [1, 1], cardFaults: 1, diskFaults: 1, kills: 1 },
  },
  {
    ...AMOUNTS,
    name: "no command for the last invoice",
    tills: [A, B],
    cardFaults: ["fails", "signs and fails", "damaged", "throws"],
    may: { posts: [2, 2], cardFaults: 2, kills: 1 },
  },
  {
    ...AMOUNTS,
    name: "no such command, and a kind that does not count",
    tills: [REFUND, A, REFUND_2],
    may: { posts: [1, 1, 2], cardFaults: 1, kills: 1 },
  },
  {
    ...AMOUNTS,
    name: "no such command, and another program at the card",
    tills: [A, LESSON],
    may: { posts: [2, 1], cardFaults: 1, strangers: 1, kills: 1 },
  },
  {
    ...LAST,
    lastInvoiceCommand: "odd",
    name: "nonsense instead of the last invoice",
    tills: [A, REFUND],
    may: { posts: [2, 1], cardFaults: 1, kills: 1, decisions: 1 },
  },
  {
    ...AMOUNTS,
    name: "a person decides, without the last invoice",
    tills: [A, REFUND],
    may: { posts: [2, 1], cardFaults: 1, kills: 1, decisions: 1 },
  },
  {
    ...LAST,
    name: "an audit",
    tills: [A, B],
    cardFaults: ["fails", "signs and fails", "throws"],
    may: { posts: [1, 1], cardFaults: 1, kills: 1, audits: 1, proofs: 2 },
  },
  {
    ...AMOUNTS,
    name: "no such command, and an audit",
    tills: [A, B],
    cardFaults: ["fails", "signs and fails", "no amounts"],
    may: { posts: [1, 2], cardFaults: 2, kills: 1, audits: 1, proofs: 1 },
  },
  {
    ...LAST,
    name: "the card was with another applet",
    tills: [A, B],
    cardFaults: ["elsewhere", "elsewhere, PIN lost", "signs and fails"],
    may: { posts: [1, 1], kills: 1, cardFaults: 2, strangers: 1 },
  },
  {
    ...LAST,
    name: "the card's key is used",
    tills: [A, B],
    cardFaults: ["elsewhere", "elsewhere, PIN lost", "signs and fails"],
    may: { posts: [1, 1], cardFaults: 1, kills: 1, keys: 2 },
  },
];

export function sameHeader(...tills: readonly Till[]): readonly Till[] {
  return tills.map((till) => ({ ...till, header: "the same 57 bytes" }));
}
