/** The connection to the tax authority: when it calls, how long it waits, what it reports and how it ends. */
import { EventEmitter } from "node:events";
import { pino } from "pino";
import { expect, it, onTestFinished, vi } from "vitest";
import { SeededRandom } from "../../emulator/pki/random.js";
import { AuthorityLink, type LinkParts } from "../../src/authority/link.js";
import { type PackageParts, Packages } from "../../src/authority/packages.js";
import { type AuthorityCommand, AuthorityError } from "../../src/authority/tax-authority.js";
import type { AuditLedger } from "../../src/ledger/audit-ledger.js";
import type { Entry } from "../../src/ledger/ledger.js";
import type {
  CardIdentity,
  PinState,
  SecureElementEvents,
  SecureElementState,
} from "../../src/secure-element/secure-element.js";
import { FakeAuthority } from "../support/fake-authority.js";

const NOON = Date.UTC(2026, 5, 1, 12);
const UNREACHABLE = new AuthorityError("unreachable", "nothing answers");

class Card extends EventEmitter<SecureElementEvents> {
  state: SecureElementState = { kind: "no-card", reason: "", why: { code: "notStarted" }, noReader: false };

  is(uid: string, pin: PinState = "required") {
    const identity = { uid } as CardIdentity;
    this.state = { kind: "ready", identity, session: 1, pin, refuses: undefined, silent: false };
    this.emit("changed", this.state);
  }
}

interface Options extends Partial<Pick<LinkParts, "task" | "isDue" | "mayBegin">> {
  readonly execute?: () => Promise<void>;
  readonly open?: (uid: string) => FakeAuthority;
}

/** A link whose time passes only when a test says so. */
function linked({
  task = async () => undefined,
  isDue = async () => false,
  execute = async () => undefined,
  mayBegin = () => true,
  open,
}: Options = {}) {
  const card = new Card();
  const authority = new FakeAuthority();
  const waits: number[] = [];
  const taken: string[] = [];
  const reported: string[] = [];
  let over: () => void = () => undefined;
  const sleep = (ms: number, ended?: AbortSignal) => {
    waits.push(ms);
    return new Promise<void>((resolve) => {
      over = resolve;
      ended?.addEventListener("abort", () => resolve(), { once: true });
      if (ended?.aborted) resolve();
    });
  };
  const clock = { at: NOON, now: () => clock.at };
  const dates: number[] = [];
  const link = new AuthorityLink({
    dated: (time) => dates.push(time),
    secureElement: card,
    open: ({ uid }) => open?.(uid) ?? authority,
    mayBegin,
    commands: {
      take: async (_, commands) => void taken.push(...commands.map(({ commandId }) => commandId)),
      execute,
      report: async (uid) => void reported.push(uid),
    },
    task,
    isDue,
    clock,
    timer: { now: () => 0, sleep },
    random: new SeededRandom("link"),
    log: pino({ level: "silent" }),
    changed: () => undefined,
  });
  onTestFinished(() => link.stop());
  /** Waits until the n-th wait has begun. */
  const waiting = (count: number) => vi.waitFor(() => expect(waits).toHaveLength(count), 20_000);
  const next = () => over();
  /** Starts with a card, and waits until the authority was asked. */
  const begin = () => {
    link.start();
    card.is("CARDAAAA");
    return waiting(1);
  };
  return { link, card, authority, clock, waits, taken, reported, dates, waiting, next, begin };
}

it("the link to the authority says nothing before a card is known, then calls for it once in each interval", async () => {
  const { link, card, authority, waits, taken, reported, waiting, next } = linked();
  link.start();
  expect([link.contact, authority.asked]).toEqual([{ contact: "not-asked" }, 0]);
  authority.command(0, {}, { uid: "CARDAAAA", commandId: "a" });
  card.is("CARDAAAA");
  await waiting(1);
  expect(link.contact).toMatchObject({ contact: "reachable", since: NOON });
  next();
  await waiting(2);
  expect([waits, authority.announced, taken, reported]).toEqual([
    [60_000, 60_000],
    [true],
    ["a", "a"],
    ["CARDAAAA", "CARDAAAA"],
  ]);
});

it("the link to the authority says when it asked last, and that it does not ask without the PIN of its key", async () => {
  let hasPin = true;
  const { link, clock, waiting, next, begin } = linked({ mayBegin: () => hasPin });
  await begin();
  clock.at = NOON + 60_000;
  next();
  await waiting(2);
  expect(link.contact).toMatchObject({ contact: "reachable", since: NOON, at: NOON + 60_000 });
  hasPin = false;
  next();
  await waiting(3);
  expect(link.contact).toEqual({ contact: "not-asked" });
});

it("the link to the authority passes on the authority's time whenever an answer has one", async () => {
  const { authority, dates, waiting, next, begin } = linked();
  await begin();
  authority.date = NOON + 5;
  next();
  await waiting(2);
  expect(dates).toEqual([NOON + 5]);
});

it("the link to the authority waits longer after each failure, up to five minutes, with some randomness", async () => {
  const { link, card, authority, waits, waiting, next } = linked();
  authority.failure = UNREACHABLE;
  link.start();
  card.is("CARDAAAA");
  for (let count = 1; count <= 12; count++) {
    await waiting(count);
    next();
  }
  for (const [i, wait] of waits.slice(0, 12).entries()) {
    const most = Math.min(300_000, 1_000 * 2 ** i);
    expect(wait).toBe(Math.round(wait));
    expect(wait).toBeGreaterThan(most / 2);
    expect(wait).toBeLessThan(most);
  }
  authority.failure = undefined;
  next();
  await vi.waitFor(() => expect(link.contact.contact).toBe("reachable"), 20_000);
  await vi.waitFor(() => expect(waits.at(-1)).toBe(60_000), 20_000);
});

it("the link to the authority reports an authority that refuses every call as not reachable, with the problem", async () => {
  const { link, authority, begin } = linked();
  authority.failure = new AuthorityError("refused", "what is wrong");
  await begin();
  expect(link.contact).toEqual({ contact: "not-reachable", since: NOON, at: NOON, problem: "what is wrong" });
});

it("the link to the authority does not blame the authority for a local failure, and tries again", async () => {
  const failing = { execute: () => Promise.reject(new Error("the disk is full")) };
  const { link, clock, waits, waiting, next, begin } = linked(failing);
  await begin();
  clock.at = NOON + 5_000;
  next();
  await waiting(2);
  expect(link.contact).toEqual({ contact: "reachable", since: NOON, at: NOON + 5_000, problem: "the disk is full" });
  expect(waits[0]).toBeLessThanOrEqual(1_000);
});

it("the link to the authority runs its task after the commands, with the answers", async () => {
  const brought: AuthorityCommand = { commandId: "b", type: 0, payload: "", uid: "CARDAAAA" };
  const { authority, taken, begin } = linked({ task: ({ take }) => take([brought]) });
  authority.command(0, {}, { uid: "CARDAAAA", commandId: "a" });
  await begin();
  expect(taken).toEqual(["a", "b"]);
});

it("the link to the authority starts a round at once when woken, even during another round, and after a right PIN", async () => {
  const { link, card, authority, waiting, begin } = linked();
  await begin();
  link.wake();
  await waiting(2);
  card.is("CARDAAAA", "verified");
  await waiting(3);
  card.is("CARDAAAA", "verified");
  expect(authority.asked).toBe(3);
});

it("the link to the authority stops calling for a card when another one comes, and drops late answers", async () => {
  const first = new FakeAuthority();
  const second = new FakeAuthority();
  let late: (error: Error) => void = () => undefined;
  first.announce = () => new Promise((_, reject) => (late = reject));
  const { link, card, waiting } = linked({ open: (uid) => (uid === "CARDAAAA" ? first : second) });
  link.start();
  card.is("CARDAAAA");
  await vi.waitFor(() => expect(link.contact.contact).toBe("not-asked"), 20_000);
  await Promise.resolve();
  card.is("CARDBBBB");
  expect(first.closed).toBe(true);
  late(UNREACHABLE);
  await waiting(1);
  expect([link.contact.contact, second.announced]).toEqual(["reachable", [true]]);
});

it("the link to the authority says goodbye when it stops, if the authority answers", async () => {
  const { link, card, authority, begin } = linked();
  await begin();
  await link.stop();
  expect([authority.announced, authority.closed]).toEqual([[true, false], true]);
  card.is("CARDBBBB");
  expect(authority.asked).toBe(2);
});

it("the link to the authority starts a round within 2 s of the sale that made an audit due, once for many sales", async () => {
  let due = false;
  const { link, authority, waits, waiting, next, begin } = linked({ isDue: async () => due });
  await begin();
  for (const isDue of [false, true]) {
    due = isDue;
    const checked = link.afterSale();
    await link.afterSale();
    next();
    await checked;
  }
  await waiting(4);
  expect([waits.slice(1, 3), authority.asked]).toEqual([[500, 500], 2]);
});

it("the link to the authority leaves it to the next round if the card does not say whether an audit is due", async () => {
  const isDue = vi.fn(() => Promise.reject(new Error("the card is gone")));
  const { link, authority, next, begin } = linked({ isDue });
  await begin();
  for (const times of [1, 2]) {
    const checked = link.afterSale();
    next();
    await checked;
    expect(isDue).toHaveBeenCalledTimes(times);
  }
  expect(authority.asked).toBe(1);
});

const UID = "TESTCARD";
const HOUR_MS = 3_600_000;
/** A damaged sale: no package can be made of it, and it takes a repetition as any other. */
const ENTRY = { id: 1, uid: UID, number: `${UID}-${UID}-1`, intact: false } as unknown as Entry;

it("the service repeats at most 100 packages in an hour, however many are due", async () => {
  let now = 0;
  let attempts = 0;
  const audits = {
    nextToRepeat: async () => ({ entry: 1, number: "", status: 0 }),
    nextSale: async () => ENTRY,
    commit: async () => void attempts++,
  } as unknown as AuditLedger;
  const packages = new Packages({
    audits,
    keys: { of: async () => ({}) } as unknown as PackageParts["keys"],
    clock: { now: () => now },
    random: new SeededRandom("repeated packages"),
    log: pino({ level: "silent" }),
  });
  const authority = { submit: () => Promise.reject(new Error("nothing can be sent")) };
  const repeatAll = async () => {
    const before = attempts;
    while (await packages.repeatNext(UID, authority));
    return attempts - before;
  };
  expect(await repeatAll()).toBe(100);
  now = HOUR_MS - 1;
  expect(await repeatAll()).toBe(0);
  now = HOUR_MS;
  expect(await repeatAll()).toBe(100);
});
