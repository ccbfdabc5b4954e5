/** Events from outside, which may happen at any moment. */
import { DAMAGED, type Effect, START } from "../../src/fiscalizer/protocol/state.js";
import { beginsSale, isThere, ledgerAfter, signed } from "./answers.js";
import { auditsIn, cardAfterAudit } from "./audits.js";
import type { CardName } from "./card.js";
import { DECISION, dispatch, handOut } from "./dispatch.js";
import type { Move } from "./explore.js";
import { type Entry, type Ledger, ofRequest } from "./ledger.js";
import {
  asker,
  cardIn,
  keyOf,
  queued,
  type Setting,
  spend,
  tillAt,
  type World,
  withPast,
  withSignature,
} from "./world.js";

type What = "post" | "hang up" | "pin" | "kill" | "swap" | "stranger" | "decide" | "audit";

/**
 * What may happen while an effect is in flight. Everything else has the same result a moment earlier or later: a swap before
 * the gates are passed, a kill before anything is written or signed, a POS that posts before the card is asked to sign.
 */
const WHILE: Readonly<Record<Exclude<Effect["kind"], "reply">, readonly What[]>> = {
  begin: ["hang up", "pin", "kill", "swap"],
  "read-card": [],
  "read-amounts": [],
  "look-up": ["hang up"],
  "read-last-invoice": ["post", "pin", "swap", "stranger", "decide", "audit"],
  sign: ["post", "hang up", "pin", "kill", "swap", "stranger", "decide", "audit"],
  write: ["post", "hang up", "pin", "kill", "swap", "stranger", "decide", "audit"],
  "use-key": ["post", "pin", "kill", "swap", "stranger"],
  "start-audit": ["post", "pin", "kill", "swap"],
  "end-audit": ["post", "pin", "kill", "swap"],
  "write-audit": ["post", "pin", "kill", "swap"],
};

export function eventsIn(setting: Setting, world: World): readonly Move<World>[] {
  const { may, waits, pin, backup, inFlight, machine } = world;
  const moves: Move<World>[] = [];
  const can = (what: What) => !inFlight || (inFlight.kind !== "reply" && WHILE[inFlight.kind].includes(what));
  for (const [i, posts] of may.posts.entries()) {
    if (waits[i] === undefined && posts > 0 && can("post")) moves.push(postBudgeted(setting, world, i));
    if (waits[i] !== undefined && may.hangUps > 0 && can("hang up")) moves.push(hangUp(setting, world, i));
  }
  if (!pin && can("pin")) moves.push(enterPin(setting, world));
  if (may.kills > 0 && can("kill")) moves.push(...kills(setting, spend(world, "kills"), "the process is killed"));
  if (may.swaps > 0 && can("swap")) moves.push(...swaps(spend(world, "swaps")));
  if (may.strangers > 0 && can("stranger")) {
    moves.push(stranger(spend(world, "strangers"), 2), stranger(spend(world, "strangers"), 1));
  }
  if (may.restores > 0 && !inFlight) moves.push(backup ? restore(world, backup) : makeBackup(world));
  if (may.rots > 0 && !inFlight) moves.push(...rots(spend(world, "rots")));
  if (machine.unwritten.length > 0 && !inFlight) moves.push(tryAgain(setting, world));
  if (may.decisions > 0 && can("decide")) moves.push(...decisions(setting, world));
  if (can("audit")) moves.push(...auditsIn(setting, world));
  return moves;
}

function postBudgeted(setting: Setting, world: World, i: number): Move<World> {
  const { may } = world;
  const posts = may.posts.with(i, (may.posts[i] ?? 0) - 1);
  return post(setting, { ...world, may: { ...may, posts } }, i);
}

export function post(setting: Setting, world: World, i: number): Move<World> {
  const { name, requestId, kind } = tillAt(setting, i);
  const n = world.posted[i] ?? 0;
  const key = keyOf(i, n);
  const posted = world.posted.with(i, n + 1);
  const words = `${name} ${n === 0 ? "posts" : "repeats"} ${requestId}`;
  const to = (): World => {
    const entry = ofRequest(world.ledger, requestId);
    // A repeat of what is final does not wait for its turn.
    if (entry && entry.state !== "intent") return handOut(setting, { ...world, posted }, i);
    const isTraining = kind === "Training Sale";
    const waiting: World = { ...world, posted, waits: world.waits.with(i, key) };
    return dispatch(setting, waiting, { kind: "posted", sale: queued(key, requestId, isTraining) });
  };
  return { words, to };
}

function hangUp(setting: Setting, world: World, i: number): Move<World> {
  const key = world.waits[i] ?? 0;
  const to = (): World => {
    const durable = world.ledger.entries.some((entry) => entry.key === key);
    const gone = durable ? world.past.gone : [...world.past.gone, key];
    const next: World = { ...spend(world, "hangUps"), waits: world.waits.with(i, undefined) };
    return dispatch(setting, withPast(next, { gone }), { kind: "left", key });
  };
  return { words: `${tillAt(setting, i).name} hangs up`, to };
}

export function enterPin(setting: Setting, world: World): Move<World> {
  const { session } = world;
  const { uid } = cardIn(world);
  const to = () => dispatch(setting, { ...world, pin: true }, { kind: "card-ready", uid, session });
  return { words: "the right PIN is entered", to };
}

/** Its checksum no longer fits, so nothing in it can be trusted. */
function rots(world: World): Move<World>[] {
  const { ledger } = world;
  return ledger.entries.flatMap((entry, i): Move<World>[] => {
    if (entry.state !== "intent") return [];
    const damaged: Entry = { ...entry, header: DAMAGED, kind: "", amount: 0n, before: undefined };
    const rotten: World = { ...world, ledger: { ...ledger, entries: ledger.entries.with(i, damaged) } };
    return [{ words: `the intent of ${entry.requestId} is damaged on the disk`, to: () => rotten }];
  });
}

function tryAgain(setting: Setting, world: World): Move<World> {
  return { words: "the ledger is tried again", to: () => dispatch(setting, world, { kind: "write-unwritten" }) };
}

/** The effect in flight is done or not; memory and connections are lost. */
function kills(setting: Setting, world: World, words: string): Move<World>[] {
  const { inFlight, ledger, unsynced, torn } = world;
  const moves: Move<World>[] = [{ words, to: () => started(world, withoutUnsynced(ledger, unsynced)) }];
  if (torn) moves.push({ words: `${words}; what the disk had refused is there`, to: () => started(world, torn) });
  if (inFlight?.kind === "start-audit" || inFlight?.kind === "end-audit") {
    const after = cardAfterAudit(world, inFlight);
    if (after) moves.push({ words: `${after.words}; ${words}`, to: () => started(after.world, ledger) });
  }
  if (
    inFlight?.kind === "write" ||
    inFlight?.kind === "write-audit" ||
    (inFlight?.kind === "begin" && beginsSale(setting, world, inFlight))
  ) {
    const isLost = inFlight.kind === "begin" && setting.protocol.broken === "intentFirst";
    const to = () => started(world, ledgerAfter(setting, world, inFlight));
    if (!isLost) moves.push({ words: `${words} just after the write`, to });
  }
  if (inFlight?.kind === "sign" && isThere(world, inFlight.uid)) {
    const { key, open } = inFlight;
    const to = () => started(signed(setting, world, key, open.id), withoutUnsynced(ledger, unsynced));
    moves.push({ words: `the card signs as ${cardIn(world).counter + 1}; ${words}`, to });
  }
  return moves;
}

function withoutUnsynced(ledger: Ledger, unsynced: number | undefined): Ledger {
  return unsynced === undefined ? ledger : { ...ledger, entries: ledger.entries.filter(({ id }) => id !== unsynced) };
}

function started(world: World, ledger: Ledger): World {
  const next: World = {
    ...world,
    ledger,
    machine: START,
    inFlight: undefined,
    unsynced: undefined,
    torn: undefined,
    proof: undefined,
    session: 1,
    pin: false,
    waits: world.waits.map(() => undefined),
  };
  // What only the dead process knew cannot be reported.
  return withPast(next, { back: "no", gone: [] });
}

const NAMES: Readonly<Record<CardName, string>> = {
  card: "the card",
  twin: "a second card with the same UID",
  older: "the card, which has lost its memory,",
  other: "another card",
};

function swaps(world: World): Move<World>[] {
  return world.cards.map(({ name }, i) => {
    const again = i === world.inserted;
    const words = again ? "the card is pulled and inserted again" : `${NAMES[name]} is inserted instead`;
    const plain = world.past.plain && (again || cardIn(world).uid !== world.cards[i]?.uid);
    const next: World = { ...world, inserted: i, session: world.session + 1, pin: false };
    // What was on its way into the ledger may still arrive.
    const back = world.past.back === "no" ? "no" : "may be reported";
    return { words, to: () => withPast(next, { back, plain }) };
  });
}

function stranger(world: World, invoices: 1 | 2): Move<World> {
  const to = (): World => {
    const headers = Array.from({ length: invoices }, (_, i) => `another program's ${i}`);
    const next = headers.reduce((at, header) => withSignature(at, header, 3), world);
    return withPast(next, { stranger: true, plain: false });
  };
  return { words: `another program signs ${invoices === 1 ? "an invoice" : "two invoices"} on the card`, to };
}

function makeBackup(world: World): Move<World> {
  return { words: "a backup is made", to: () => ({ ...world, backup: world.ledger }) };
}

function restore(world: World, backup: Ledger): Move<World> {
  const to = (): World => {
    const { past } = world;
    const kept = (bytes: string | undefined) => backup.entries.some((entry) => entry.bytes === bytes);
    const forgotten = past.signed.map(({ bytes }) => bytes).filter((bytes) => !kept(bytes));
    const answers = Object.fromEntries(Object.entries(past.answers).filter(([, bytes]) => kept(bytes)));
    const next = withPast(spend(world, "restores"), { forgotten, answers, plain: false });
    return { ...started(next, backup), backup: undefined };
  };
  return { words: "the backup is restored", to };
}

function decisions(setting: Setting, world: World): Move<World>[] {
  const { doing } = world.machine;
  const atWork = "open" in doing ? doing.open.id : undefined;
  const open = world.ledger.entries.filter(({ id, state }) => state === "intent" && id !== atWork);
  return open.flatMap((entry) =>
    [true, false].map((signed) => decide(setting, spend(world, "decisions"), entry, signed)),
  );
}

/** The card is asked first if it is there. */
export function decide(setting: Setting, world: World, entry: Entry, signed: boolean): Move<World> {
  const { id, uid, requestId, key } = entry;
  const words = `a person decides that the card has ${signed ? "" : "not "}signed ${requestId}`;
  const to = (): World => {
    const { session } = world;
    const card = cardIn(world);
    const compared = world.pin ? dispatch(setting, world, { kind: "card-ready", uid: card.uid, session }) : world;
    const decision = { ...asker(DECISION), id, uid, signed };
    const denied = world.past.signed.filter((of) => !signed && of.key === key).map(({ bytes }) => bytes);
    const past = { plain: false, forgotten: [...world.past.forgotten, ...denied] };
    return dispatch(setting, withPast(compared, past), { kind: "decided", decision });
  };
  return { words, to };
}
