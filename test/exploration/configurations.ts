/** The worlds that are explored, and their bounds. */
import type { Signed } from "./card.js";
import { withIntent, withWrites } from "./ledger.js";
import { type Configuration, type Kind, keyOf, type Till, type World, withPast, withSignature } from "./world.js";

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
  return entry ? withSignature(world, entry.header, Number(entry.amount), entry) : world;
}

type More = Omit<Partial<Configuration>, "name" | "tills" | "may">;

function world(
  name: string,
  card: typeof LAST | typeof AMOUNTS,
  tills: readonly Till[],
  may: Configuration["may"],
  more: More = {},
): Configuration {
  return { ...card, name, tills, may, ...more };
}

/** Small worlds that noticed every noticed change of a sample of the protocol's source. `npm test` explores these. */
export const SMALLEST: readonly Configuration[] = [
  world("a card that fails", LAST, [A], { posts: [2], kills: 1, cardFaults: 3 }),
  world(
    "an older signature than the last as the answer",
    LAST,
    [A, B, C],
    { posts: [1, 1, 1], cardFaults: 1 },
    { cardFaults: ["stale"] },
  ),
  world(
    "an earlier refusal as the answer",
    LAST,
    [A, B],
    { posts: [2, 1], cardFaults: 2, kills: 1 },
    { cardFaults: ["signs and refuses", "refuses", "refuses, PIN lost", "away", "damaged"] },
  ),
  world(
    "the answer of an earlier sale with the same 57 bytes",
    LAST,
    sameHeader(A, B),
    { posts: [1, 2], cardFaults: 1, kills: 1 },
    { cardFaults: ["stale"] },
  ),
  world("another program at the card", LAST, [A], { posts: [2], strangers: 1, kills: 1, cardFaults: 2 }),
  world(
    "a card with the ledger's counter and another invoice",
    LAST,
    [A, B],
    { posts: [2, 1], cardFaults: 1, kills: 1 },
    { before: sameCounterOtherBytes, locked: true },
  ),
  world(
    "a card that begins a session at each comparison",
    LAST,
    [A, B],
    { posts: [2, 1], cardFaults: 1, kills: 1 },
    { restless: true },
  ),
  world(
    "no such command, and a second card with the same UID",
    AMOUNTS,
    [A],
    { posts: [2], cardFaults: 1, kills: 1, swaps: 1 },
    { others: ["twin"] },
  ),
  world("an intent that is damaged on the disk", LAST, [A], {
    posts: [2],
    cardFaults: 1,
    kills: 1,
    strangers: 1,
    rots: 1,
  }),
  world(
    "no such command, and a sale that is worth nothing",
    AMOUNTS,
    [{ ...REFUND, amount: 0 }, A, REFUND_2],
    { posts: [1, 1, 2], cardFaults: 1 },
    { cardFaults: ["signs and fails"] },
  ),
  world("no such command, and a Training receipt", AMOUNTS, [REFUND, LESSON], {
    posts: [2, 1],
    cardFaults: 2,
    kills: 1,
  }),
  world("no such command, and a restored backup", AMOUNTS, [A, LESSON], { posts: [2, 1], cardFaults: 1, restores: 1 }),
  world(
    "a person decides",
    LAST,
    [A, B],
    { posts: [2, 1], cardFaults: 1, swaps: 1, decisions: 1 },
    { others: ["other"] },
  ),
  world("two audits", LAST, [A], { posts: [1], diskFaults: 1, kills: 1, audits: 2, proofs: 2 }),
  world(
    "no such command, and the card's key is used",
    AMOUNTS,
    [A, REFUND],
    { posts: [2, 1], cardFaults: 2, keys: 1 },
    { cardFaults: ["elsewhere", "fails", "signs and fails"] },
  ),
];

/** All worlds. `npm run explore` explores them. */
export const CONFIGURATIONS: readonly Configuration[] = [
  ...SMALLEST,
  world("one POS", LAST, [A], { posts: [2], hangUps: 1, kills: 1, cardFaults: 1, diskFaults: 1, swaps: 1 }),
  world("two POS", LAST, [A, B], { posts: [2, 1], hangUps: 1, kills: 1, cardFaults: 1, diskFaults: 1 }),
  world("two POS with the same RequestId", LAST, [A, SAME], {
    posts: [2, 1],
    hangUps: 1,
    kills: 1,
    cardFaults: 1,
    diskFaults: 1,
  }),
  world("two sales with the same 57 bytes", LAST, sameHeader(A, B), { posts: [2, 2], kills: 1, cardFaults: 2 }),
  world(
    "an earlier signature as the answer",
    LAST,
    [A, B],
    { posts: [2, 2], cardFaults: 2, kills: 1 },
    { cardFaults: ["stale", "signs and fails", "throws"] },
  ),
  world(
    "an unexpected error after the card has acted",
    LAST,
    [A, B],
    { posts: [2, 1], cardFaults: 2, diskFaults: 1, kills: 1, swaps: 1 },
    { cardFaults: ["throws"] },
  ),
  world(
    "a second card with the same UID",
    LAST,
    [A, B],
    { posts: [1, 1], cardFaults: 1, kills: 1, swaps: 1 },
    { others: ["twin"], before: ahead },
  ),
  world(
    "a second card with the same UID, and back",
    LAST,
    [A, B],
    { posts: [2, 1], swaps: 2 },
    { others: ["twin"], before: ahead },
  ),
  world(
    "a card that has lost its memory",
    LAST,
    [A, B],
    { posts: [1, 1], cardFaults: 1, kills: 1, swaps: 1 },
    { others: ["older"], before: ahead },
  ),
  world("two cards", LAST, [A, B], { posts: [2, 1], cardFaults: 1, swaps: 2 }, { others: ["other"] }),
  world("a restored backup", LAST, [A, B], { posts: [2, 1], cardFaults: 1, kills: 1, restores: 1 }),
  world(
    "damaged answers",
    LAST,
    [A, B],
    { posts: [2, 1], cardFaults: 3, kills: 1 },
    { cardFaults: ["damaged", "broken", "odd", "signs and fails", "fails"] },
  ),
  world("a full disk", LAST, [A, B], { posts: [2, 1], cardFaults: 1, diskFaults: 3, kills: 1 }, { torn: true }),
  world(
    "two sales in doubt",
    LAST,
    [A, B],
    { posts: [1, 1], cardFaults: 1, diskFaults: 1, kills: 1 },
    { before: twoInDoubt, locked: true },
  ),
  world(
    "no command for the last invoice",
    AMOUNTS,
    [A, B],
    { posts: [2, 2], cardFaults: 2, kills: 1 },
    { cardFaults: ["fails", "signs and fails", "damaged", "throws"] },
  ),
  world("no such command, and a kind that does not count", AMOUNTS, [REFUND, A, REFUND_2], {
    posts: [1, 1, 2],
    cardFaults: 1,
    kills: 1,
  }),
  world("no such command, and another program at the card", AMOUNTS, [A, LESSON], {
    posts: [2, 1],
    cardFaults: 1,
    strangers: 1,
    kills: 1,
  }),
  world(
    "nonsense instead of the last invoice",
    LAST,
    [A, REFUND],
    { posts: [2, 1], cardFaults: 1, kills: 1, decisions: 1 },
    { lastInvoiceCommand: "odd" },
  ),
  world("a person decides, without the last invoice", AMOUNTS, [A, REFUND], {
    posts: [2, 1],
    cardFaults: 1,
    kills: 1,
    decisions: 1,
  }),
  world(
    "an audit",
    LAST,
    [A, B],
    { posts: [1, 1], cardFaults: 1, kills: 1, audits: 1, proofs: 2 },
    { cardFaults: ["fails", "signs and fails", "throws"] },
  ),
  world(
    "no such command, and an audit",
    AMOUNTS,
    [A, B],
    { posts: [1, 2], cardFaults: 2, kills: 1, audits: 1, proofs: 1 },
    { cardFaults: ["fails", "signs and fails", "no amounts"] },
  ),
  world(
    "the card was with another applet",
    LAST,
    [A, B],
    { posts: [1, 1], kills: 1, cardFaults: 2, strangers: 1 },
    { cardFaults: ["elsewhere", "elsewhere, PIN lost", "signs and fails"] },
  ),
  world(
    "the card's key is used",
    LAST,
    [A, B],
    { posts: [1, 1], cardFaults: 1, kills: 1, keys: 2 },
    { cardFaults: ["elsewhere", "elsewhere, PIN lost", "signs and fails"] },
  ),
];

export function sameHeader(...tills: readonly Till[]): readonly Till[] {
  return tills.map((till) => ({ ...till, header: "the same 57 bytes" }));
}
