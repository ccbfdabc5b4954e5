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

/** @param rows by name: the card with its tills, what may happen, and what else differs */
function worlds(
  rows: Record<
    string,
    readonly [world: Pick<Configuration, keyof typeof LAST | "tills">, may: Configuration["may"], more?: More]
  >,
): readonly Configuration[] {
  return Object.entries(rows).map(([name, [world, may, more]]) => ({ ...world, name, may, ...more }));
}

const last = (...tills: readonly Till[]) => ({ ...LAST, tills });
const amounts = (...tills: readonly Till[]) => ({ ...AMOUNTS, tills });

/** Small worlds that noticed every noticed change of a sample of the protocol's source. `npm test` explores these. */
export const SMALLEST = worlds({
  "a card that fails": [last(A), { posts: [2], kills: 1, cardFaults: 3 }],
  "an older signature than the last as the answer": [
    last(A, B, C),
    { posts: [1, 1, 1], cardFaults: 1 },
    { cardFaults: ["stale"] },
  ],
  "an earlier refusal as the answer": [
    last(A, B),
    { posts: [2, 1], cardFaults: 2, kills: 1 },
    { cardFaults: ["signs and refuses", "refuses", "refuses, PIN lost", "away", "damaged"] },
  ],
  "the answer of an earlier sale with the same 57 bytes": [
    last(...sameHeader(A, B)),
    { posts: [1, 2], cardFaults: 1, kills: 1 },
    { cardFaults: ["stale"] },
  ],
  "another program at the card": [last(A), { posts: [2], strangers: 1, kills: 1, cardFaults: 2 }],
  "a card with the ledger's counter and another invoice": [
    last(A, B),
    { posts: [2, 1], cardFaults: 1, kills: 1 },
    { before: sameCounterOtherBytes, locked: true },
  ],
  "a card that begins a session at each comparison": [
    last(A, B),
    { posts: [2, 1], cardFaults: 1, kills: 1 },
    { restless: true },
  ],
  "no such command, and a second card with the same UID": [
    amounts(A),
    { posts: [2], cardFaults: 1, kills: 1, swaps: 1 },
    { others: ["twin"] },
  ],
  "an intent that is damaged on the disk": [last(A), { posts: [2], cardFaults: 1, kills: 1, strangers: 1, rots: 1 }],
  "no such command, and a sale that is worth nothing": [
    amounts({ ...REFUND, amount: 0 }, A, REFUND_2),
    { posts: [1, 1, 2], cardFaults: 1 },
    { cardFaults: ["signs and fails"] },
  ],
  "no such command, and a Training receipt": [amounts(REFUND, LESSON), { posts: [2, 1], cardFaults: 2, kills: 1 }],
  "no such command, and a restored backup": [amounts(A, LESSON), { posts: [2, 1], cardFaults: 1, restores: 1 }],
  "a person decides": [last(A, B), { posts: [2, 1], cardFaults: 1, swaps: 1, decisions: 1 }, { others: ["other"] }],
  "two audits": [last(A), { posts: [1], diskFaults: 1, kills: 1, audits: 2, proofs: 2 }],
  "no such command, and the card's key is used": [
    amounts(A, REFUND),
    { posts: [2, 1], cardFaults: 2, keys: 1 },
    { cardFaults: ["elsewhere", "fails", "signs and fails"] },
  ],
});

/** All worlds. `npm run explore` explores them. */
export const CONFIGURATIONS = [
  ...SMALLEST,
  ...worlds({
    "one POS": [last(A), { posts: [2], hangUps: 1, kills: 1, cardFaults: 1, diskFaults: 1, swaps: 1 }],
    "two POS": [last(A, B), { posts: [2, 1], hangUps: 1, kills: 1, cardFaults: 1, diskFaults: 1 }],
    "two POS with the same RequestId": [
      last(A, SAME),
      { posts: [2, 1], hangUps: 1, kills: 1, cardFaults: 1, diskFaults: 1 },
    ],
    "two sales with the same 57 bytes": [last(...sameHeader(A, B)), { posts: [2, 2], kills: 1, cardFaults: 2 }],
    "an earlier signature as the answer": [
      last(A, B),
      { posts: [2, 2], cardFaults: 2, kills: 1 },
      { cardFaults: ["stale", "signs and fails", "throws"] },
    ],
    "an unexpected error after the card has acted": [
      last(A, B),
      { posts: [2, 1], cardFaults: 2, diskFaults: 1, kills: 1, swaps: 1 },
      { cardFaults: ["throws"] },
    ],
    "a second card with the same UID": [
      last(A, B),
      { posts: [1, 1], cardFaults: 1, kills: 1, swaps: 1 },
      { others: ["twin"], before: ahead },
    ],
    "a second card with the same UID, and back": [
      last(A, B),
      { posts: [2, 1], swaps: 2 },
      { others: ["twin"], before: ahead },
    ],
    "a card that has lost its memory": [
      last(A, B),
      { posts: [1, 1], cardFaults: 1, kills: 1, swaps: 1 },
      { others: ["older"], before: ahead },
    ],
    "two cards": [last(A, B), { posts: [2, 1], cardFaults: 1, swaps: 2 }, { others: ["other"] }],
    "a restored backup": [last(A, B), { posts: [2, 1], cardFaults: 1, kills: 1, restores: 1 }],
    "damaged answers": [
      last(A, B),
      { posts: [2, 1], cardFaults: 3, kills: 1 },
      { cardFaults: ["damaged", "broken", "odd", "signs and fails", "fails"] },
    ],
    "a full disk": [last(A, B), { posts: [2, 1], cardFaults: 1, diskFaults: 3, kills: 1 }, { torn: true }],
    "two sales in doubt": [
      last(A, B),
      { posts: [1, 1], cardFaults: 1, diskFaults: 1, kills: 1 },
      { before: twoInDoubt, locked: true },
    ],
    "no command for the last invoice": [
      amounts(A, B),
      { posts: [2, 2], cardFaults: 2, kills: 1 },
      { cardFaults: ["fails", "signs and fails", "damaged", "throws"] },
    ],
    "no such command, and a kind that does not count": [
      amounts(REFUND, A, REFUND_2),
      { posts: [1, 1, 2], cardFaults: 1, kills: 1 },
    ],
    "no such command, and another program at the card": [
      amounts(A, LESSON),
      { posts: [2, 1], cardFaults: 1, strangers: 1, kills: 1 },
    ],
    "nonsense instead of the last invoice": [
      last(A, REFUND),
      { posts: [2, 1], cardFaults: 1, kills: 1, decisions: 1 },
      { lastInvoiceCommand: "odd" },
    ],
    "a person decides, without the last invoice": [
      amounts(A, REFUND),
      { posts: [2, 1], cardFaults: 1, kills: 1, decisions: 1 },
    ],
    "an audit": [
      last(A, B),
      { posts: [1, 1], cardFaults: 1, kills: 1, audits: 1, proofs: 2 },
      { cardFaults: ["fails", "signs and fails", "throws"] },
    ],
    "no such command, and an audit": [
      amounts(A, B),
      { posts: [1, 2], cardFaults: 2, kills: 1, audits: 1, proofs: 1 },
      { cardFaults: ["fails", "signs and fails", "no amounts"] },
    ],
    "the card was with another applet": [
      last(A, B),
      { posts: [1, 1], kills: 1, cardFaults: 2, strangers: 1 },
      { cardFaults: ["elsewhere", "elsewhere, PIN lost", "signs and fails"] },
    ],
    "the card's key is used": [
      last(A, B),
      { posts: [1, 1], cardFaults: 1, kills: 1, keys: 2 },
      { cardFaults: ["elsewhere", "elsewhere, PIN lost", "signs and fails"] },
    ],
  }),
];

export function sameHeader(...tills: readonly Till[]): readonly Till[] {
  return tills.map((till) => ({ ...till, header: "the same 57 bytes" }));
}
