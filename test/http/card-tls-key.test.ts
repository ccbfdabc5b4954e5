/** The key in the card as the way to the authority: its PIN, its token, and what is remembered. */
import { expect, it, onTestFinished, vi } from "vitest";
import { EmulatedReader } from "../../emulator/card/emulated-reader.js";
import { CardTlsKey } from "../../src/authority/card-tls-key.js";
import { systemClock } from "../../src/base/clock.js";
import { checkCardKey } from "../../src/doctor/card-key.js";
import type { AuthorityLedger } from "../../src/ledger/authority-ledger.js";
import { LedgerError } from "../../src/ledger/ledger.js";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { CardError } from "../../src/secure-element/card-reader.js";
import { openAuthority } from "../support/audited-till.js";
import { makeCard, readerWith } from "../support/emulated-card.js";
import { newAuthorityLedger } from "../support/ledgers.js";
import { eventually } from "../support/pcsc.js";

const PIN = "1234";
const PKI_PIN = "9876";
const FULL = 5;

interface Options {
  readonly profile?: Record<string, unknown>;
  readonly ledger?: AuthorityLedger;
  readonly card?: ReturnType<typeof makeCard>;
  readonly pin?: boolean;
  readonly reader?: EmulatedReader;
}

/** A reader that breaks off once when the key gets a PIN. @param sends whether the card gets the PIN */
function breakingReader(sends: boolean): EmulatedReader {
  let strikes = 1;
  return readerWith(async (command, run) => {
    if (command[0] !== 0 || command[1] !== 0x20 || command.length < 6 || strikes-- === 0) return run();
    if (sends) await run();
    throw new CardError("no-answer", "pcscd has ended");
  });
}

async function opened({
  profile,
  ledger = newAuthorityLedger(),
  card,
  pin = true,
  reader = new EmulatedReader(),
}: Options = {}) {
  const inserted = card ?? makeCard({ pin: PIN, pkiPin: PKI_PIN, ...profile });
  reader.insert(inserted);
  const secureElement = new ApduSecureElement(reader);
  await secureElement.start();
  onTestFinished(() => secureElement.close());
  if (pin) await secureElement.verifyPin(PIN);
  const timer = { time: 0, now: () => timer.time, sleep: () => Promise.resolve() };
  const key = new CardTlsKey({
    secureElement,
    inTurn: (_uid, task) => task(),
    ledger,
    clock: systemClock,
    timer,
    secret: new Uint8Array(32),
    wanted: false,
    changed: () => undefined,
  });
  key.start();
  await eventually(() => key.facts !== undefined, "the key was read");
  const { uid } = inserted.profile;
  return {
    key,
    card: inserted,
    uid,
    ledger,
    timer,
    secureElement,
    attempts: () => inserted.memory.load().pkiPinTriesLeft,
  };
}

it("the PIN of the key costs one attempt if it is wrong, also when it is entered twice", async () => {
  const { key, attempts } = await opened();
  const answers = await Promise.all([key.enterPin("0000"), key.enterPin("0000")]);
  expect(answers.map(({ kind }) => kind)).toEqual(["wrong-pin", "not-sent"]);
  expect(attempts()).toBe(FULL - 1);
  expect(key.facts?.state.kind).toBe("attempt-missing");
  expect(await key.enterPin("12")).toMatchObject({ kind: "not-sent" });
  expect(await key.enterPin(PKI_PIN)).toEqual({ kind: "verified" });
  expect(attempts()).toBe(FULL);
});

it("the PIN of the key is locked after the last attempt, and then nothing is sent", async () => {
  const { key, attempts } = await opened({ profile: { pkiPinTries: 1 } });
  expect(await key.enterPin("0000")).toEqual({ kind: "locked" });
  expect(key.facts?.state.kind).toBe("locked");
  expect((await key.enterPin(PKI_PIN)).kind).toBe("locked");
  expect(attempts()).toBe(0);
});

/** The service reads the key again as soon as the card answers. */
const readAgain = async ({ key, secureElement }: Awaited<ReturnType<typeof opened>>) => {
  await secureElement.refresh();
  await eventually(() => key.facts !== undefined, "the key was read again");
};

it("a PIN whose answer is lost is not called unsent, and counts as refused if an attempt is lost", async () => {
  const till = await opened({ reader: breakingReader(true) });
  expect(await till.key.enterPin("0000")).toMatchObject({ kind: "unknown" });
  await readAgain(till);
  expect(till.attempts()).toBe(FULL - 1);
  expect(till.key.facts).toMatchObject({ state: { kind: "attempt-missing" }, wanted: true });
  expect(await till.key.enterPin("0000")).toMatchObject({ kind: "not-sent" });
  expect(till.attempts()).toBe(FULL - 1);
  expect(await till.key.enterPin(PKI_PIN)).toEqual({ kind: "verified" });
});

it.each([true, false])(
  "a PIN whose answer is lost can be entered again if the card says that no attempt is lost (sent: %s)",
  async (sends) => {
    const till = await opened({ reader: breakingReader(sends) });
    expect(await till.key.enterPin(PKI_PIN)).toMatchObject({ kind: "unknown" });
    await readAgain(till);
    expect(till.key.facts?.state.kind).toBe("pin-needed");
    expect(await till.key.enterPin(PKI_PIN)).toEqual({ kind: "verified" });
    expect(till.attempts()).toBe(FULL);
  },
);

it.each([
  [PIN, "untried"],
  [PKI_PIN, "refused"],
])(
  "a PIN whose answer is lost is the card's own PIN: tried again only if no attempt is lost (PIN of the key: %s)",
  async (pkiPin, ownPin) => {
    const till = await opened({ profile: { pkiPin }, reader: breakingReader(true) });
    expect(await till.key.tryOwnPin()).toMatchObject({ kind: "unknown" });
    await till.secureElement.verifyPin(PIN);
    await readAgain(till);
    expect(await till.key.tryOwnPin()).toMatchObject({ kind: ownPin === "untried" ? "verified" : "not-sent" });
    expect(till.attempts()).toBe(ownPin === "untried" ? FULL : FULL - 1);
  },
);

it("the card's own PIN is used after a restart if it was accepted once", async () => {
  const first = await opened({ profile: { pkiPin: PIN } });
  expect(await first.key.tryOwnPin()).toEqual({ kind: "verified" });
  const again = await opened({ card: first.card, ledger: first.ledger, pin: false });
  expect(again.key.isReady(again.uid)).toBe(false);
  await again.secureElement.verifyPin(PIN);
  expect(again.key.isReady(again.uid)).toBe(true);
});

it("the card's own PIN is never tried twice: the store keeps that the card refused it", async () => {
  const first = await opened();
  expect(await first.key.tryOwnPin()).toEqual({ kind: "wrong-pin", pinTriesLeft: FULL - 1 });
  expect(await first.ledger.ownPin(first.uid)).toBe("refused");
  await first.key.enterPin(PKI_PIN);
  const again = await opened({ card: first.card, ledger: first.ledger });
  expect(again.key.facts).toMatchObject({ state: { kind: "pin-needed", ownPin: "refused" }, wanted: true });
  expect(await again.key.tryOwnPin()).toMatchObject({ kind: "not-sent" });
  expect(again.attempts()).toBe(FULL);
});

it("the card's own PIN is not tried again after a crash between the question and its answer", async () => {
  const { key, secureElement, ledger, card } = await opened();
  secureElement.verifyKeyPin = () => Promise.reject(new Error("killed"));
  await expect(key.tryOwnPin()).rejects.toThrow("killed");
  const again = await opened({ ledger, card });
  expect(await again.key.tryOwnPin()).toMatchObject({ kind: "not-sent" });
  expect(again.attempts()).toBe(FULL);
});

it("the card's own PIN is known as refused also if that cannot be stored", async () => {
  const { key, ledger, attempts } = await opened();
  const commit = ledger.commit.bind(ledger);
  ledger.commit = async (changes) => {
    if (changes.some((change) => change.kind === "own-pin" && change.outcome === "refused"))
      throw new LedgerError("full", "the disk is full");
    await commit(changes);
  };
  await expect(key.tryOwnPin()).rejects.toThrow("the disk is full");
  expect(key.facts?.state).toMatchObject({ kind: "attempt-missing", attempts: { left: FULL - 1 } });
  expect(await key.tryOwnPin()).toMatchObject({ kind: "not-sent" });
  expect(attempts()).toBe(FULL - 1);
});

it("the card's own PIN is not tried while an attempt is missing", async () => {
  const { key, secureElement, uid, ledger, card } = await opened();
  await secureElement.verifyKeyPin(uid, "0000");
  const again = await opened({ card, ledger });
  expect(again.key.facts?.state.kind).toBe("attempt-missing");
  expect(await again.key.tryOwnPin()).toMatchObject({ kind: "not-sent" });
  expect(await key.tryOwnPin()).toMatchObject({ kind: "not-sent" });
  expect(again.attempts()).toBe(FULL - 1);
});

it("the token comes from the authority with the card's key, and the card's PIN session is there afterwards", async () => {
  const server = await openAuthority();
  const { key, uid, card, secureElement, attempts } = await opened();
  server.office.register({ certificate: card.certificate });
  await key.enterPin(PKI_PIN);
  const token = await key.token(uid, { address: server.url, ca: server.caCertificate, proxy: undefined });
  expect(token.life).toBeGreaterThan(0);
  expect(secureElement.state).toMatchObject({ kind: "ready", pin: "verified" });
  expect(attempts()).toBe(FULL);
});

it("the token is asked for again a minute after a failure, then after two, and at once after a PIN", async () => {
  const { key, uid, timer } = await opened();
  await key.enterPin(PKI_PIN);
  const request = { address: "https://localhost:1", ca: undefined, proxy: undefined };
  const failed = async () => (await key.token(uid, request).catch((error: unknown) => error)) as Error;
  const first = await failed();
  expect(first.message).toContain("no server is listening");
  expect(key.facts?.problem).toBe(first);
  timer.time += 59_999;
  expect(await failed()).toBe(first);
  timer.time += 1;
  const second = await failed();
  expect(second).not.toBe(first);
  timer.time += 60_001;
  expect(await failed()).toBe(second);
  await key.enterPin(PKI_PIN);
  expect(await failed()).not.toBe(second);
});

it("the token is not asked for when another program has entered a wrong PIN", async () => {
  const { key, uid, secureElement, attempts } = await opened();
  const server = await openAuthority();
  await key.enterPin(PKI_PIN);
  await secureElement.verifyKeyPin(uid, "0000");
  const request = { address: server.url, ca: server.caCertificate, proxy: undefined };
  await expect(key.token(uid, request)).rejects.toThrow("a wrong PIN was entered");
  expect(attempts()).toBe(FULL - 1);
  expect(key.isReady(uid)).toBe(false);
});

it.each([
  ["the PIN of the key in the card is locked", { kind: "locked" }, "refused"],
  ["4 attempts are left", { kind: "wrong-pin", pinTriesLeft: 4 }, "refused"],
  ["it does not answer", { kind: "unreachable", reason: "it does not answer" }, "accepted"],
] as const)("the token is not given if the card does not sign: %s", async (reason, answer, ownPin) => {
  const server = await openAuthority();
  const { key, uid, ledger, secureElement } = await opened({ profile: { pkiPin: PIN } });
  await key.tryOwnPin();
  const sign = vi.spyOn(secureElement, "signWithKey").mockResolvedValue(answer);
  const request = { address: server.url, ca: server.caCertificate, proxy: undefined };
  await expect(key.token(uid, request)).rejects.toThrow(reason);
  expect([sign.mock.lastCall?.[1], await ledger.ownPin(uid)]).toEqual([undefined, ownPin]);
});

it("a certificate that has ended is among the facts, from which a finding follows, and the doctor says it", async () => {
  const { key, secureElement, uid } = await opened({ profile: { validTo: "2020-01-01T00:00:00Z" } });
  expect(key.facts).toMatchObject({ state: { kind: "pin-needed" }, validTo: Date.UTC(2020, 0, 1) });
  const [certificate] = await checkCardKey(secureElement, uid, undefined, systemClock.now());
  expect(certificate).toMatchObject({ verdict: "warn", message: expect.stringContaining("it has expired") });
});

const examined = async (pin: string, profile: Record<string, unknown> = {}) => {
  const { secureElement, uid, attempts } = await opened({ profile });
  const { verdict, message } = (await checkCardKey(secureElement, uid, pin, systemClock.now())).at(-1) ?? {};
  return [verdict, message, attempts()];
};

it("the doctor with --use-key signs with the key, and its certificate verifies the signature", async () => {
  expect(await examined(PKI_PIN)).toEqual(["ok", "it signs, and its certificate verifies the signature", FULL]);
});

it("the doctor with --use-key says how many attempts are left after a wrong PIN, and sends none to a locked applet", async () => {
  expect(await examined("0000")).toEqual(["warn", `wrong PIN; attempts left: ${FULL - 1}`, FULL - 1]);
  expect(await examined("0000", { pkiPinTries: 1 })).toMatchObject(["warn", expect.stringContaining("locked"), 0]);
});
