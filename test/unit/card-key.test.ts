/** The key in the card's PKI applet, used between two sales. */
import { createHash, verify, X509Certificate } from "node:crypto";
import { expect, it, onTestFinished } from "vitest";
import { ApduSecureElement } from "../../src/secure-element/apdu/apdu-secure-element.js";
import { CardError } from "../../src/secure-element/card-reader.js";
import { sign, signed } from "../contract/secure-element.contract.js";
import { makeCard, readerWith } from "../support/emulated-card.js";

const SHA256_PREFIX = Buffer.from("3031300D060960864801650304020105000420", "hex");
const TEXT = Buffer.from("handshake");
const DIGEST_INFO = Buffer.concat([SHA256_PREFIX, createHash("sha256").update(TEXT).digest()]);
const SELECT_PKI = Buffer.from("00A404000BA000000397425446590201", "hex");

type Exchange = (command: Uint8Array, run: () => Promise<Uint8Array>) => Promise<Uint8Array>;

async function opened(profile: Record<string, unknown> = {}, exchange: Exchange = (_command, run) => run()) {
  const card = makeCard({ pin: "1234", pkiPin: "9876", pkiPinTries: 5, ...profile });
  const commands: string[] = [];
  const reader = readerWith((command, run) => {
    commands.push(Buffer.from(command).toString("hex").toUpperCase());
    return exchange(command, run);
  });
  reader.insert(card);
  const element = new ApduSecureElement(reader);
  await element.start();
  onTestFinished(() => element.close());
  await element.verifyPin("1234");
  return { card, element, reader, commands, uid: card.profile.uid, attempts: () => card.memory.load().pkiPinTriesLeft };
}

it("the key in the card is read with its certificate and attempts, without a PIN", async () => {
  const { card, element, uid } = await opened();
  const read = await element.keyCertificate(uid);
  expect(read).toMatchObject({ kind: "ok", attempts: { left: 5, full: 5 } });
  expect(read.kind === "ok" && Buffer.from(read.certificate).equals(card.certificate)).toBe(true);
});

it("the key in the card signs what its certificate verifies, and the next invoice needs no PIN", async () => {
  const { card, element, uid, commands } = await opened();
  await signed(element);
  const outcome = await element.signWithKey(uid, "9876", DIGEST_INFO);
  if (outcome.kind !== "signed") throw new Error(outcome.kind);
  const { publicKey } = new X509Certificate(card.certificate);
  expect(verify("sha256", TEXT, publicKey, outcome.signature)).toBe(true);
  expect((await signed(element)).totalCounter).toBe(2);
  // The PIN session of the PKI applet has ended: other programs cannot use the key.
  expect(commands).toContain("00200082");
});

it("the key in the card keeps a sale from the card for eight commands, once the card has said how many attempts it has", async () => {
  const { element, uid, commands } = await opened();
  await element.keyCertificate(uid);
  const before = commands.length;
  expect(await element.signWithKey(uid, "9876", DIGEST_INFO)).toMatchObject({ kind: "signed" });
  const instructions = commands.slice(before).map((command) => command.slice(2, 4));
  // Select, attempts left, PIN, choose the key, sign, end of its PIN session; select, PIN of the other applet.
  expect(instructions).toEqual(["A4", "20", "20", "22", "2A", "20", "A4", "11"]);
});

it("the key in the card asks another card how many attempts it has", async () => {
  const { element, reader, uid } = await opened();
  await element.keyCertificate(uid);
  reader.remove();
  reader.insert(makeCard({ uid: "OTHER567", pkiPin: "9876", pkiPinTries: 3 }));
  await element.refresh();
  expect(await element.keyCertificate("OTHER567")).toMatchObject({ attempts: { left: 3, full: 3 } });
});

it("the key in the card is used in another session of the card, so that card and ledger are compared before the next sale", async () => {
  const { element, uid } = await opened();
  const session = () => (element.state.kind === "ready" ? element.state.session : undefined);
  const before = session();
  await element.signWithKey(uid, "9876", DIGEST_INFO);
  expect(session()).not.toBe(before);
  expect(element.state).toMatchObject({ pin: "verified" });
});

it("the key in the card is not asked to sign with a PIN of the program while an attempt is missing", async () => {
  const { element, uid, attempts } = await opened();
  expect(await element.verifyKeyPin(uid, "0000")).toEqual({ kind: "wrong-pin", pinTriesLeft: 4 });
  expect(await element.signWithKey(uid, "9876", DIGEST_INFO)).toMatchObject({ kind: "attempt-missing" });
  expect(await element.verifyKeyPin(uid)).toMatchObject({ kind: "attempt-missing" });
  expect(attempts()).toBe(4);
  expect(await element.verifyKeyPin(uid, "9876")).toEqual({ kind: "verified" });
  expect(attempts()).toBe(5);
  expect(await element.signWithKey(uid, "9876", DIGEST_INFO)).toMatchObject({ kind: "signed" });
});

it("the key in the card takes the secure element's PIN if both have the same", async () => {
  const same = await opened({ pkiPin: "1234" });
  expect(await same.element.verifyKeyPin(same.uid)).toEqual({ kind: "verified" });
  const other = await opened();
  expect(await other.element.verifyKeyPin(other.uid)).toEqual({ kind: "wrong-pin", pinTriesLeft: 4 });
});

it("the key in the card says when it is locked, and sends no PIN", async () => {
  const { element, uid, commands } = await opened({ pkiPinTries: 1 });
  expect(await element.verifyKeyPin(uid, "0000")).toEqual({ kind: "locked" });
  const before = commands.length;
  expect(await element.verifyKeyPin(uid, "9876")).toEqual({ kind: "locked" });
  expect(commands.slice(before).filter((command) => command.startsWith("0020008004"))).toEqual([]);
  expect((await signed(element)).totalCounter).toBe(1);
});

it("the key in the card is used once more when another program selected the secure element meanwhile", async () => {
  let disturbances = 1;
  const { card, element, uid, attempts } = await opened({}, async (command, run) => {
    if (command[1] === 0x2a && disturbances-- > 0) {
      await card.transmit(Buffer.from("00A4040010A000000748464A492D546178436F7265", "hex"));
    }
    return run();
  });
  expect(await element.signWithKey(uid, "9876", DIGEST_INFO)).toMatchObject({ kind: "signed" });
  expect((await signed(element)).totalCounter).toBe(1);
  expect(attempts()).toBe(5);
});

it.each([0xa4, 0x20, 0x22, 0x2a])(
  "the key in the card leaves card and sale safe when the card is pulled out at INS %i",
  async (ins) => {
    let mayPull = false;
    const { card, element, reader, uid, attempts } = await opened({}, async (command, run) => {
      if (!mayPull || command[0] !== 0 || command[1] !== ins) return run();
      mayPull = false;
      reader.remove();
      throw new CardError("removed", "pulled out");
    });
    mayPull = true;
    expect((await element.signWithKey(uid, "9876", DIGEST_INFO)).kind).toBe("no-card");
    reader.insert(card);
    await element.refresh();
    expect((await sign(element)).kind).toBe("pin-required");
    expect(await element.verifyPin("1234")).toEqual({ kind: "verified" });
    expect((await signed(element)).totalCounter).toBe(1);
    expect(attempts()).toBe(5);
  },
);

it.each<[string, Exchange]>([
  ["the connection breaks", async (_, run) => run().then(() => Promise.reject(new CardError("reader-lost", "gone")))],
  ["its answer is not known", async (_, run) => run().then(() => Buffer.from("6F00", "hex"))],
])("the key in the card reports an attempt that may be lost when %s at its PIN", async (_, atVerify) => {
  let strikes = 1;
  const { card, element, reader, uid, attempts } = await opened({}, (command, run) =>
    command[0] === 0 && command[1] === 0x20 && command.length > 5 && strikes-- > 0 ? atVerify(command, run) : run(),
  );
  expect(await element.verifyKeyPin(uid, "0000")).toMatchObject({ kind: "unknown" });
  expect(attempts()).toBe(4);
  reader.insert(card);
  await element.refresh();
  expect((await element.verifyKeyPin(uid, "0000")).kind).toBe("wrong-pin");
});

it("the key in the card sends a wrong PIN once, also if another program resets the card right after it", async () => {
  let strikes = 1;
  const { element, uid, attempts } = await opened({}, (command, run) => {
    const isEnd = command[1] === 0x20 && command[3] === 0x82;
    if (isEnd && strikes-- > 0) throw new CardError("reset", "the card was reset", { sent: false });
    return run();
  });
  expect(await element.verifyKeyPin(uid, "0000")).toEqual({ kind: "wrong-pin", pinTriesLeft: 4 });
  expect(attempts()).toBe(4);
});

it("the key in the card is missing on a card without PKI applet, and selling goes on", async () => {
  const { element, uid } = await opened({ pkiAids: ["A0000000001122"] });
  expect(await element.keyCertificate(uid)).toMatchObject({ kind: "no-key" });
  expect((await signed(element)).totalCounter).toBe(1);
});

it("the key in the card does not hold a sale back after another program selected the PKI applet", async () => {
  const { card, element, uid } = await opened();
  await card.transmit(SELECT_PKI);
  expect(await element.signWithKey(uid, "9876", DIGEST_INFO)).toMatchObject({ kind: "signed" });
  expect((await signed(element)).totalCounter).toBe(1);
});
