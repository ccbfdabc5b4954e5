/** Programs that repeat wrong PINs must not lock the card. */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { inspect } from "node:util";
import { expect, it } from "vitest";
import { systemTimer, type Timer } from "../../src/base/clock.js";
import { PinGuard } from "../../src/secure-element/pin-guard.js";
import { makeCard, readerWith } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { statusWord, TamperedReader } from "../support/tampered-till.js";
import { callService, openTill, type TillOptions } from "../support/till.js";

const VERIFY = 0x11;
const INS_PIN_TRIES_LEFT = 0x16;
const ISO = { pinAnswers: "iso", pinTriesLeftCommand: false };
const SELECT_PKI_APPLET = Buffer.from("00A404000BA000000397425446590201", "hex");
const OTHERS = ["0000", "1111", "2222", "3333", "4444", "5555", "6666"];

const WARNING = /^299 - "The PIN was not sent to the card, because one attempt is left\./;

/** A busy machine may take long. */
const POLL_LIMIT = { timeout: 20_000 };

/** Time passes only when a test says so. */
class TestTimer implements Timer {
  /** How many waits were cancelled. */
  ended = 0;
  private time = 0;
  private readonly sleeping: { readonly until: number; readonly wake: () => void }[] = [];

  now(): number {
    return this.time;
  }

  sleep(ms: number, ended?: AbortSignal): Promise<void> {
    return new Promise((wake) => {
      this.sleeping.push({ until: this.time + ms, wake });
      if (ended?.aborted) wake();
      ended?.addEventListener("abort", () => {
        this.ended += 1;
        wake();
      });
    });
  }

  pass(ms: number): void {
    this.time += ms;
    for (const { until, wake } of this.sleeping) if (until <= this.time) wake();
  }

  async sleepers(count: number): Promise<void> {
    await expect.poll(() => this.sleeping.length, POLL_LIMIT).toBe(count);
  }
}

async function guardedTill(options: TillOptions = {}) {
  const timer = new TestTimer();
  const besides = { authorityTimer: systemTimer, settings: { ...options.settings, pinGuard: true } };
  const till = await openTill({ timer, pinVerified: false, ...options, ...besides });
  const triesLeft = () => till.cardState().pinTriesLeft;
  const code = async (pin?: string) => (await till.pin(pin)).text;
  return { ...till, timer, triesLeft, code };
}

/** A till whose card can fall silent, for every instruction or only for some. */
async function mutableTill(isConcerned: (ins: number | undefined) => boolean) {
  const fault = { isMute: false };
  const reader = readerWith(async (command, run) => {
    if (fault.isMute && isConcerned(command[1])) throw new Error("mute");
    return run();
  });
  const card = makeCard();
  reader.insert(card);
  return { ...(await guardedTill({ card, reader })), fault };
}

it("a PIN that the card has refused costs one attempt, however often it is sent", async () => {
  const { code, triesLeft, timer } = await guardedTill();
  const codes = await Promise.all(Array.from({ length: 200 }, () => code("0000")));
  expect([new Set(codes), triesLeft()]).toEqual([new Set(["2100"]), 4]);
  timer.pass(60_000);
  expect([await code("0000"), triesLeft()]).toEqual(["2100", 4]);
});

it("a PIN that the card has refused stays refused after the right one, which restores the card's attempts", async () => {
  const { code, triesLeft, timer } = await guardedTill();
  await code("0000");
  timer.pass(1000);
  expect([await code(), triesLeft()]).toEqual(["0100", 5]);
  expect([await code("0000"), triesLeft()]).toEqual(["2100", 5]);
});

it.each(["remove and insert", "reset"])("a PIN that the card has refused is tried again after %s", async (what) => {
  const { code, reader, card, triesLeft } = await guardedTill();
  await code("0000");
  if (what === "reset") reader.reset();
  else reader.insert(card);
  expect([await code("0000"), triesLeft()]).toEqual(["2100", 3]);
});

it("a PIN that the card has refused stays refused after another program selected another applet, which is no reset", async () => {
  const { code, card, triesLeft } = await guardedTill();
  await code("0000");
  await card.transmit(SELECT_PKI_APPLET);
  expect([await code("0000"), triesLeft()]).toEqual(["2100", 4]);
});

it("a PIN that the card has refused is answered with the card's present state", async () => {
  const { code, card, reader } = await guardedTill();
  await code("0000");
  reader.remove();
  expect(await code("0000")).toBe("1300");
  reader.insert(card);
  await code("0000");
  // Another program verifies the right PIN.
  await card.alter((state) => ({ ...state, pinTriesLeft: 0 }));
  expect(await code("0000")).toBe("2110");
  expect(await code()).toBe("2110");
});

it("a PIN that the card has refused is answered with 2220 while the card does not answer, and is not sent when it answers again", async () => {
  const { code, triesLeft, fault } = await mutableTill(() => true);
  await code("0000");
  fault.isMute = true;
  expect(await code("0000")).toBe("2220");
  fault.isMute = false;
  expect([await code("0000"), triesLeft()]).toEqual(["2100", 4]);
});

it("a PIN that the card has refused is not sent to a card that does not report its attempts", async () => {
  const { code, triesLeft } = await guardedTill({ profile: { pinTriesLeftCommand: false } });
  expect([await code("0000"), await code("0000"), triesLeft()]).toEqual(["2100", "2100", 4]);
});

it("a PIN that the card has refused is not sent again when the card fell silent after refusing it", async () => {
  let questions = 0;
  // The first question comes before the PIN.
  const isAfterPin = (ins: number | undefined) => ins === INS_PIN_TRIES_LEFT && ++questions > 1;
  const { code, triesLeft, fault } = await mutableTill(isAfterPin);
  fault.isMute = true;
  expect(await code("0000")).toBe("2100");
  fault.isMute = false;
  expect([await code("0000"), triesLeft()]).toEqual(["2100", 4]);
});

/** Answers of real cards to a PIN that no document of this card names; null: the answer is lost. */
const ANSWERS = ["6302", "6300", "63C3", "6982", "6985", "6A80", "6F00", "6D00", "6E00", "6999", "90FF", null];
const CARDS = [{ pinTriesLeftCommand: true }, { pinTriesLeftCommand: false }] as const;

/** A till whose card answers a PIN with the word, whether it compares the PIN or not. */
async function oddTill(profile: Record<string, unknown>, answers: boolean, word: string | null) {
  const tampered = new TamperedReader();
  const card = makeCard(profile);
  tampered.reader.insert(card);
  const odd = async () => {
    if (word === null) throw new Error("the answer is lost");
    return Buffer.from(word, "hex");
  };
  const till = await guardedTill({ card, reader: tampered.reader });
  tampered.on(VERIFY, async (answer) => {
    if (answers) await answer();
    return odd();
  });
  return { ...till, tampered };
}

it.each(CARDS.flatMap((profile) => ANSWERS.map((word) => ({ ...profile, word }))))(
  "a wrong PIN costs one attempt, however often it is sent and whatever the card answers: %j",
  async ({ word, ...profile }) => {
    const { code, triesLeft, timer } = await oddTill(profile, true, word);
    for (let post = 0; post < 7; post++) {
      await code("0000");
      timer.pass(60_000);
    }
    expect(triesLeft()).toBe(4);
  },
);

it.each(CARDS.flatMap((profile) => ["6985", "6F00", "6D00", null].map((word) => ({ ...profile, word }))))(
  "a right PIN whose answer is no answer is never called wrong, and works afterwards: %j",
  async ({ word, ...profile }) => {
    const { code, pin, tampered, card, triesLeft } = await oddTill(profile, false, word);
    const first = await pin();
    expect([first.text, first.headers.warning]).toEqual(["2220", expect.stringContaining("pull it out")]);
    tampered.asItIs();
    if (!profile.pinTriesLeftCommand) {
      const { text, headers } = await pin();
      const said = word === null ? "the card gave no answer to the PIN" : `the card answered ${word} to the PIN`;
      expect([text, headers.warning]).toEqual(["2220", `299 - "${said}: pull it out and put it in"`]);
      tampered.reader.insert(card);
    }
    expect([await code(), triesLeft()]).toEqual(["0100", 5]);
  },
);

it.each(CARDS)("a PIN that the card accepted stays usable after one odd answer to it: %j", async (profile) => {
  const { code, tampered, card } = await oddTill(profile, false, "6F00");
  tampered.asItIs();
  await code();
  tampered.once(VERIFY, statusWord("6F00"));
  expect(await code()).toBe("2220");
  if (!profile.pinTriesLeftCommand) tampered.reader.insert(card);
  expect(await code()).toBe("0100");
});

it.each(["6301", "6700"])("a PIN that the card has not compared (%s) is sent again", async (word) => {
  const { code, tampered } = await oddTill({ pinTriesLeftCommand: false }, false, word);
  expect(await code()).toBe("2220");
  tampered.asItIs();
  expect(await code()).toBe("0100");
});

it("a card that answers as ISO 7816-4 gets a wrong PIN once, and 2110 when it is locked", async () => {
  const { code, triesLeft, timer, reader, card } = await guardedTill({ profile: { ...ISO, pinTries: 5 } });
  for (let post = 0; post < 7; post++) {
    expect(await code("0000")).toBe("2100");
    timer.pass(60_000);
  }
  expect(triesLeft()).toBe(4);
  await card.alter((state) => ({ ...state, pinTriesLeft: 1 }));
  reader.insert(card);
  await card.askSecureElement(VERIFY, Buffer.alloc(4));
  expect([await code(), await code(), triesLeft()]).toEqual(["2110", "2110", 0]);
});

it.each(["6310", "63C0", "6983"])("a card that answers %s is locked", async (word) => {
  const { code, call } = await oddTill({ pinTriesLeftCommand: false }, false, word);
  expect(await code()).toBe("2110");
  expect((await call("GET", "/api/v3/status")).json<{ gsc: string[] }>().gsc[0]).toBe("2110");
});

it("a card whose answer leaves one attempt gets it from a person alone", async () => {
  const { pin, code, triesLeft, timer } = await guardedTill({ profile: { ...ISO, pinTriesLeft: 2 } });
  expect([await code("0000"), triesLeft()]).toEqual(["2100", 1]);
  timer.pass(60_000);
  const { text, headers } = await pin("1111");
  expect([text, headers.warning, triesLeft()]).toEqual(["2100", expect.stringMatching(WARNING), 1]);
});

it("a PIN is counted before the card gets it, so that a service that ends meanwhile cannot lock the card", async () => {
  const dataDir = temporaryFolder();
  const tampered = new TamperedReader();
  const card = makeCard({ pinTriesLeftCommand: false });
  tampered.reader.insert(card);
  const { code } = await guardedTill({ card, reader: tampered.reader, settings: { dataDir } });
  const kept = () => JSON.parse(readFileSync(join(dataDir, "tillseal.pin-refusals"), "utf8")) as object;
  let counted: object | undefined;
  tampered.once(VERIFY, (answer) => {
    counted = kept();
    return answer();
  });
  expect([await code(), counted, kept()]).toEqual(["0100", { TESTCARD: 1 }, { TESTCARD: 0 }]);
});

it("another PIN waits after a refusal and is then sent, and the wait grows to 4 s", async () => {
  const { code, timer, triesLeft } = await guardedTill({ profile: { pinTries: 9 } });
  expect(await code("0000")).toBe("2100");
  for (const [i, seconds] of [1, 2, 4, 4].entries()) {
    const waiting = code(OTHERS[i + 1]);
    await timer.sleepers(i + 1);
    timer.pass(seconds * 1000 - 1);
    expect(triesLeft()).toBe(8 - i);
    timer.pass(1);
    expect([await waiting, triesLeft()]).toEqual(["2100", 7 - i]);
  }
  timer.pass(4000);
  expect([await code(), triesLeft()]).toEqual(["0100", 9]);
  expect(await code("5555")).toBe("2100");
  const waiting = code();
  timer.pass(1000);
  expect(await waiting).toBe("0100");
});

it("another PIN does not wait when a person typed it", async () => {
  const { code, timer } = await guardedTill();
  await code("0000");
  timer.pass(3000);
  expect(await code()).toBe("0100");
});

it("another PIN gets 2220 and Retry-After while one waits, and costs no attempt", async () => {
  const { code, pin, timer, triesLeft } = await guardedTill();
  await code("0000");
  const waiting = code("1111");
  await timer.sleepers(1);
  const others = await Promise.all(OTHERS.slice(2).map((other) => pin(other)));
  expect(others.map(({ text, headers }) => [text, headers["retry-after"]])).toEqual(
    OTHERS.slice(2).map(() => ["2220", "1"]),
  );
  const json = await pin(JSON.stringify({ pin: "2222" }));
  expect([json.status, json.text]).toEqual([200, "2220"]);
  expect(await code("0000")).toBe("2100");
  timer.pass(1000);
  expect([await waiting, triesLeft()]).toEqual(["2100", 3]);
});

it("another PIN is sent once for all callers that send the same", async () => {
  const { code, timer, triesLeft } = await guardedTill();
  await code("0000");
  const waiting = Promise.all([code("1111"), code("1111"), code("1111")]);
  await timer.sleepers(1);
  timer.pass(1000);
  expect([await waiting, triesLeft()]).toEqual([["2100", "2100", "2100"], 3]);
});

it("another PIN waits for its turn at the card, so that a flood costs two attempts at most", async () => {
  const { code, timer, triesLeft } = await guardedTill();
  const codes: string[] = [];
  const answers = Promise.all(OTHERS.map(async (pin) => codes.push(await code(pin))));
  // One is refused, one waits, and the others are not sent.
  await expect.poll(() => codes.toSorted(), POLL_LIMIT).toEqual(["2100", "2220", "2220", "2220", "2220", "2220"]);
  expect(triesLeft()).toBe(4);
  timer.pass(1000);
  await answers;
  expect([codes.at(-1), triesLeft()]).toEqual(["2100", 3]);
});

it("another PIN that the card has accepted before passes at once, even while another waits", async () => {
  const { code, timer, triesLeft } = await guardedTill();
  expect(await code()).toBe("0100");
  await code("0000");
  const waiting = code("1111");
  await timer.sleepers(1);
  expect([await code(), await code(), triesLeft()]).toEqual(["0100", "0100", 5]);
  timer.pass(1000);
  expect(await waiting).toBe("2100");
});

it("another PIN is on the card meanwhile: the accepted one costs one attempt, however many programs send it at once", async () => {
  const { code, tampered } = await oddTill({}, false, "6302");
  tampered.asItIs();
  await code();
  tampered.on(VERIFY, statusWord("6302"));
  const before = tampered.times(VERIFY);
  const codes = await Promise.all(Array.from({ length: 20 }, () => code()));
  expect([new Set(codes), tampered.times(VERIFY) - before]).toEqual([new Set(["2100"]), 1]);
});

it("another PIN that is malformed costs no attempt and no wait", async () => {
  const { code, triesLeft } = await guardedTill();
  expect([await code("abcd"), await code("12345"), triesLeft()]).toEqual(["2100", "2100", 5]);
  expect(await code()).toBe("0100");
});

it("the last attempt is not for a program, which gets 2100 and a warning, but for a person at the console", async () => {
  const { url, pin, code, timer, triesLeft } = await guardedTill({ profile: { pinTries: 2 } });
  expect([await code("0000"), triesLeft()]).toEqual(["2100", 1]);
  timer.pass(4000);
  for (const other of ["1111", "1234"]) {
    const { text, headers } = await pin(other);
    expect([text, headers.warning, triesLeft()]).toEqual(["2100", expect.stringMatching(WARNING), 1]);
  }
  const page = { headers: { Origin: "http://localhost:1" }, body: "1234" };
  expect([(await callService(url, "POST", "/api/v3/pin", page)).text, triesLeft()]).toEqual(["2100", 1]);
  const typed = await callService(url, "POST", "/api/v3/pin", { headers: { Origin: url }, body: "1234" });
  expect([typed.text, triesLeft()]).toEqual(["0100", 2]);
  // The card has accepted it: it costs nothing.
  expect(await code()).toBe("0100");
});

it("the last attempt is the third one of a card that does not say how many are left, also after a restart and a pull", async () => {
  const dataDir = temporaryFolder();
  const card = makeCard({ pinTriesLeftCommand: false });
  const left = () => card.memory.load().pinTriesLeft;
  const first = await guardedTill({ card, settings: { dataDir } });
  expect([await first.code("0000"), left()]).toEqual(["2100", 4]);
  await first.stop();
  const second = await guardedTill({ card, settings: { dataDir } });
  expect([await second.code("1111"), left()]).toEqual(["2100", 3]);
  second.reader.remove();
  second.reader.insert(card);
  const { text, headers } = await second.pin("2222");
  expect([text, headers.warning, left()]).toEqual(["2100", expect.stringMatching(WARNING), 3]);
  const kept = readFileSync(join(dataDir, "tillseal.pin-refusals"), "utf8");
  expect(JSON.parse(kept)).toEqual({ TESTCARD: 2 });
});

const whileWaiting = async (options: TillOptions = {}) => {
  const till = await guardedTill(options);
  await till.code("0000");
  const waiting = till.code("1111");
  await till.timer.sleepers(1);
  return { ...till, waiting };
};

it("a PIN that waits is answered with 1300 when the card is removed, and is not sent", async () => {
  const { reader, waiting, triesLeft } = await whileWaiting();
  reader.remove();
  expect([await waiting, triesLeft()]).toEqual(["1300", 4]);
});

it("a PIN that waits is answered with 1300 when another card is inserted, and is not sent to that card", async () => {
  const { reader, waiting, triesLeft } = await whileWaiting({ profile: { uid: "AAAAAAAA" } });
  const other = makeCard({ uid: "BBBBBBBB" });
  reader.insert(other);
  expect([await waiting, triesLeft(), other.memory.load().pinTriesLeft]).toEqual(["1300", 4, 5]);
});

it("a PIN that waits is not sent when all its callers have hung up, and another may wait", async () => {
  const { url, code, timer, triesLeft } = await guardedTill();
  await code("0000");
  const hasty = request(`${url}/api/v3/pin`, { method: "POST", agent: false });
  hasty.on("error", () => undefined);
  hasty.end("1111");
  await timer.sleepers(1);
  hasty.socket?.resetAndDestroy();
  await expect.poll(() => timer.ended, POLL_LIMIT).toBe(1);
  const another = code("2222");
  await timer.sleepers(2);
  timer.pass(1000);
  expect([await another, triesLeft()]).toEqual(["2100", 3]);
  timer.pass(4000);
  expect([await code("1111"), triesLeft()]).toEqual(["2100", 2]);
});

it("a PIN that waits is sent before the service stops", async () => {
  const { timer, code, stop, triesLeft } = await guardedTill();
  await code("0000");
  const waiting = code();
  await timer.sleepers(1);
  const stopped = stop();
  timer.pass(1000);
  expect([await waiting, triesLeft()]).toEqual(["0100", 5]);
  await stopped;
});

it("the guard is off with the emulator, so that tests can lock a card", async () => {
  const { pin, cardState } = await openTill({ pinVerified: false, profile: { pinTries: 2 } });
  await pin("0000");
  expect([(await pin("0000")).text, cardState().pinTriesLeft]).toEqual(["2110", 0]);
});

it("the guard keeps no readable PIN", async () => {
  const { service } = await openTill({ pinVerified: false });
  const timer = new TestTimer();
  const random = { bytes: (count: number) => new Uint8Array(count).fill(7) };
  const guard = new PinGuard(service.secureElement, timer, random, { of: () => 0, set: () => undefined });
  const sender = { gone: new AbortController().signal, person: false };
  await guard.verify("8642", sender);
  timer.pass(1000);
  await guard.verify("1234", sender);
  const everything = inspect(guard, { depth: 3, showHidden: true, maxArrayLength: null });
  expect(everything).toContain("refused: Map(1)");
  expect(everything).not.toMatch(/8642|'1234'|"1234"/);
});
