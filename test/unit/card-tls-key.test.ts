/** What the service remembers of the key in a card, and what it says when the key cannot be used. */
import { EventEmitter } from "node:events";
import { expect, it, vi } from "vitest";
import { CardTlsKey, type CardTlsKeyParts } from "../../src/authority/card-tls-key.js";
import { UID } from "../contract/ledger.contract.js";
import { newAuthorityLedger } from "../support/ledgers.js";

const FULL = { left: 5, full: 5 };
const REQUEST = { address: "https://localhost:1", ca: undefined, proxy: undefined };
const OK = { kind: "ok", certificate: Buffer.from("no certificate"), attempts: FULL } as const;
const REMOVED = "the card was removed";

/** A key in a card that answers what a test says. @param read the card's first answer */
async function keyIn(read: object | Error = OK, ledger = newAuthorityLedger()) {
  const ready = (uid = UID) => ({ kind: "ready", identity: { uid }, pin: "verified" });
  const card = { read: read as typeof read | undefined, answer: undefined as object | undefined };
  const changed = vi.fn();
  const element = Object.assign(new EventEmitter(), {
    state: ready() as object,
    keyCertificate: vi.fn(async () => {
      if (card.read instanceof Error) throw card.read;
      return card.read;
    }),
    verifyKeyPin: vi.fn(async () => card.answer),
  });
  const key = new CardTlsKey({
    secureElement: element as unknown as CardTlsKeyParts["secureElement"],
    inTurn: (_uid, task) => task(),
    ledger,
    clock: { now: () => 1 },
    timer: { now: () => 0, sleep: async () => undefined },
    secret: new Uint8Array(32),
    wanted: false,
    changed,
  });
  const puts = async (state: object) => {
    element.state = state;
    element.emit("changed");
    await vi.waitFor(() => expect(key.facts).toBeDefined());
  };
  key.start();
  expect([key.facts, key.isUsed]).toEqual([undefined, false]);
  await puts(ready());
  return { key, card, element, ledger, ready, puts, changed, refusal: () => key.token(UID, REQUEST).catch(String) };
}

it("a card in the reader is read once, and again after it was removed if its key could not be read", async () => {
  const { key, card, element, ready, puts, changed } = await keyIn(new Error("pulled out"));
  expect(key.facts).toMatchObject({ state: { kind: "no-key", reason: "pulled out" }, wanted: false });
  expect([key.isUsed, changed.mock.calls.length]).toEqual([false, 1]);
  for (const state of [
    { kind: "no-key", reason: REMOVED },
    { kind: "pin-needed", attempts: FULL, ownPin: "untried" },
  ]) {
    card.read = state.kind === "no-key" ? undefined : OK;
    await puts(ready());
    element.emit("left");
    expect(key.facts).toBeUndefined();
    await puts(ready());
    expect(key.facts).toEqual({ state, wanted: false, problem: undefined, validTo: undefined });
  }
  element.emit("left");
  await puts(ready());
  element.state = { kind: "no-card" };
  element.emit("changed");
  expect(element.keyCertificate).toHaveBeenCalledTimes(3);
  card.read = { ...OK };
  await puts(ready("OTHERONE"));
  expect(element.keyCertificate).toHaveBeenLastCalledWith("OTHERONE");
});

it.each([
  [{ left: 0, full: 5 }, undefined, { kind: "locked" }],
  [{ left: 3, full: 5 }, "accepted", { kind: "attempt-missing", attempts: { left: 3, full: 5 } }],
  [FULL, "accepted", { kind: "ready" }],
  [FULL, "asked", { kind: "pin-needed", attempts: FULL, ownPin: "refused" }],
] as const)("a card in the reader with attempts %j and its own PIN %s is known", async (attempts, outcome, state) => {
  const ledger = newAuthorityLedger();
  if (outcome) await ledger.commit([{ kind: "own-pin", uid: UID, outcome, at: 0 }]);
  const { key } = await keyIn({ ...OK, attempts }, ledger);
  expect([key.facts?.state, key.facts?.wanted, key.isUsed]).toEqual([
    state,
    outcome !== undefined,
    state.kind === "ready",
  ]);
});

it.each<[string, object | undefined, object]>([
  [REMOVED, undefined, { kind: "pin-needed" }],
  ["why", { kind: "unreachable", reason: "why" }, { kind: "pin-needed" }],
  ["a wrong PIN was entered", { kind: "attempt-missing", attempts: { left: 2, full: 5 } }, { kind: "attempt-missing" }],
])("a PIN is not sent: %s", async (reason, answer, state) => {
  const { key, card, ledger, changed } = await keyIn();
  card.answer = answer;
  changed.mockClear();
  for (const asked of [() => key.enterPin("9876"), () => key.enterPin("9876"), () => key.tryOwnPin()]) {
    expect(await asked()).toEqual({ kind: "not-sent", reason: expect.stringContaining(reason) });
    expect(key.facts).toMatchObject({ state, wanted: true });
  }
  expect(changed).toHaveBeenCalled();
  expect(await ledger.ownPin(UID)).toBe(answer && "attempts" in answer ? undefined : "asked");
});

it("a PIN is not sent, and the reason says why", async () => {
  const { key, card, element, ledger, ready, puts, refusal } = await keyIn();
  const own = async () => ((await key.tryOwnPin()) as { reason?: string }).reason;
  const entered = async (pin = "9876") => ((await key.enterPin(pin)) as { reason?: string }).reason;
  expect(await entered("123")).toBe("this PIN has 4 to 8 digits");
  await expect(key.token(UID, REQUEST)).rejects.toMatchObject({ fault: "unreachable" });
  expect(await refusal()).toContain("needs its PIN");
  element.state = { ...ready(), pin: "required" };
  expect(await own()).toBe("enter the card's PIN first");
  element.state = { kind: "no-card" };
  expect([await own(), await entered()]).toEqual(Array(2).fill("there is no card in the reader"));
  await puts(ready());
  card.answer = { kind: "verified" };
  expect([await own(), key.isReady(UID), await ledger.ownPin(UID)]).toEqual([undefined, true, "accepted"]);
  element.state = { ...ready(), pin: "required" };
  expect([key.isReady(UID), await refusal()]).toEqual([false, expect.stringContaining("needs the card's PIN first")]);
  await puts(ready());
  expect(await own()).toBeUndefined();
  await entered("9876");
  expect(element.verifyKeyPin.mock.calls).toEqual([[UID], [UID, "9876"]]);
  element.state = { ...ready(), pin: "required" };
  expect([key.isReady(UID), key.isReady("OTHERONE")]).toEqual([true, false]);
  element.state = ready();
  card.answer = { kind: "wrong-pin", pinTriesLeft: 4 };
  await entered("0000");
  expect([await own(), await refusal()]).toEqual(Array(2).fill(expect.stringContaining("4 attempts are left")));
  expect(await entered("0000")).toBe("the card has refused this PIN before");
  card.answer = { kind: "locked" };
  await entered("1111");
  expect([await own(), await refusal()]).toEqual(Array(2).fill(expect.stringContaining("is locked")));
  expect(await entered("1111")).toBe("the card has refused this PIN before");
  expect(await key.token("OTHERONE", REQUEST).catch(String)).toContain("was not read yet");
  card.read = { kind: "no-key", reason: "it has no key" };
  await puts(ready("OTHERONE"));
  expect([await own(), await entered()]).toEqual(Array(2).fill("it has no key"));
  expect(await key.token("OTHERONE", REQUEST).catch(String)).toContain("it has no key");
});

it("a PIN of the card that locks the key counts as refused", async () => {
  const { key, card, ledger } = await keyIn();
  card.answer = { kind: "locked" };
  expect([(await key.tryOwnPin()).kind, await ledger.ownPin(UID)]).toEqual(["locked", "refused"]);
  const again = await keyIn(OK, ledger);
  expect(await again.key.tryOwnPin()).toEqual({
    kind: "not-sent",
    reason: "the card has refused its own PIN for this key before",
  });
});
