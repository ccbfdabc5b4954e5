/** One flipped bit in what the card signed: the service gives no receipt that the card's certificate does not prove. */
import { sign, X509Certificate } from "node:crypto";
import { expect, it } from "vitest";
import { isProven, isSignatureValid } from "../../src/fiscal/signature.js";
import { decodeVerificationUrl } from "../../src/fiscal/verification-url.js";
import { KEYS } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { reportsIn } from "../support/store-file.js";
import { done, LAST_SIGNED, openTamperedTill, SIGN, type TamperedTill } from "../support/tampered-till.js";
import { type Answer, sale } from "../support/till.js";

const HEADER = 57;
const COUNTERS = 8;
const PROVEN = HEADER + COUNTERS + 256;

const flipped = (answer: Uint8Array, bit: number): Uint8Array =>
  answer.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte));

/** Bits in every part of an answer, covering each position in a byte. */
function bitsOf(bytes: number): number[] {
  const borders = [0, HEADER - 1, HEADER, HEADER + 3, HEADER + 4, HEADER + 7, HEADER + 8, PROVEN - 1, bytes - 257];
  const spread = Array.from({ length: 24 }, (_, i) => Math.floor((i * bytes) / 24));
  return [...borders, bytes - 256, bytes - 1, ...spread].map((byte, i) => byte * 8 + (i % 8));
}

/** The signature of this card covers only the first 321 bytes of the answer. */
function shortSpan(answer: Uint8Array): Uint8Array {
  const data = answer.subarray(0, answer.length - 2 - 256);
  return done(Buffer.concat([data, sign("RSA-SHA1", data.subarray(0, PROVEN), KEYS.cardKey)]));
}

/** Whether the card's certificate proves the data in the QR code of an answer. */
function proves({ card }: TamperedTill, answer: Answer, short: boolean): boolean {
  const decoded = decodeVerificationUrl(answer.json<{ verificationUrl: string }>().verificationUrl);
  const { publicKey } = new X509Certificate(card.certificate);
  const data = short ? { ...decoded, encryptedInternalData: decoded.encryptedInternalData.subarray(0, 256) } : decoded;
  return isSignatureValid(data, card.profile.taxpayer.tin, publicKey);
}

const CARDS = [
  { what: "256 bytes of internal data", internalDataBytes: 256, short: false },
  { what: "512 bytes, all of them signed", internalDataBytes: 512, short: false },
  { what: "512 bytes, 256 of them signed", internalDataBytes: 512, short: true },
] as const;

it.each(CARDS)(
  "a card with $what that gives an answer with one wrong bit is asked again, and the receipt is proven",
  async ({ internalDataBytes, short }) => {
    const bytes = HEADER + COUNTERS + internalDataBytes + 256;
    const shaped = (answer: () => Promise<Uint8Array>) => answer().then((whole) => (short ? shortSpan(whole) : whole));
    const till = await openTamperedTill({ profile: { internalDataBytes } });
    const { tampered } = till;
    tampered.on(LAST_SIGNED, shaped);
    let counter = 0;
    for (const bit of bitsOf(bytes)) {
      tampered.once(SIGN, async (answer) => flipped(await shaped(answer), bit));
      const sold = await till.sell(sale(), { RequestId: `bit-${bit}` });
      expect([bit, sold.status, sold.json().totalCounter]).toEqual([bit, 200, ++counter]);
      expect([bit, proves(till, sold, short)]).toEqual([bit, true]);
    }
    expect(till.service.stored).toEqual({ complete: counter, open: 0, lost: 0 });
    expect(await till.makerCodes()).toEqual([]);
  },
);

it("a card that gives a damaged CRC with a valid signature costs no receipt", async () => {
  const till = await openTamperedTill({ profile: { appletVersion: "3.2.5", lastSignedInvoice: false } });
  till.tampered.on(SIGN, async (answer) => flipped(await answer(), (PROVEN + 256) * 8));
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 1 });
  expect(await till.makerCodes()).toEqual([]);
});

const BIT = { header: 3 * 8, counters: (HEADER + 7) * 8, "internal data": (HEADER + 20) * 8, signature: 400 * 8 };

const PROFILES = { "no CRC": {}, "a CRC that does not fit": { appletVersion: "3.2.5" } };
const DAMAGES = Object.entries(BIT).flatMap(([part, bit]) =>
  Object.entries(PROFILES).map(([crc, profile]) => ({ part, bit, crc, profile })),
);

it.each(DAMAGES)(
  "a card that repeats its damaged answer in the $part, with $crc, gives no receipt: the sale is final and reported with its counter",
  async ({ bit, profile }) => {
    const dataDir = temporaryFolder();
    const till = await openTamperedTill({ settings: { dataDir }, profile });
    const { tampered } = till;
    await till.sell();
    for (const ins of [SIGN, LAST_SIGNED]) tampered.on(ins, async (answer) => flipped(await answer(), bit));
    for (let i = 0; i < 2; i++) {
      const refused = await till.sell(sale(), { RequestId: "order-1" });
      expect([refused.status, refused.json().code]).toEqual([500, "2220"]);
      expect(refused.json().details).toContain("invoice 2");
      expect(refused.json()).toMatchObject({ details: expect.stringContaining("This is final"), final: true });
    }
    const answer = await till.call("GET", "/api/v3/invoices/order-1");
    expect(answer.json()).toMatchObject({
      code: "2220",
      final: true,
      details: expect.stringContaining("This is final"),
    });
    const status = (await till.call("GET", "/api/v3/status")).json();
    expect(status).toMatchObject({ mssc: ["9002", "9006"], gsc: expect.arrayContaining(["1999"]) });
    expect(till.cardState().totalCounter).toBe(2);
    // The card works again: the shop sells, and nothing is reported twice.
    tampered.asItIs();
    expect((await till.sell(sale(), { RequestId: "order-2" })).json()).toMatchObject({ totalCounter: 3 });
    await till.reinsert();
    expect(await till.makerCodes()).toEqual(["9006"]);
    await till.stop();
    expect(reportsIn(dataDir)).toEqual([{ kind: "unproven", from: 2, to: 2, requestId: "order-1" }]);
  },
);

it("a card that repeats its damaged answer does not sell the RequestId again when the right answer comes after a reinsertion", async () => {
  const till = await openTamperedTill();
  for (const ins of [SIGN, LAST_SIGNED]) till.tampered.on(ins, async (answer) => flipped(await answer(), 4000));
  await till.sell(sale(), { RequestId: "order-1" });
  till.tampered.asItIs();
  // Ask again in the same session, and in the next one.
  till.tampered.loseNextSale();
  await till.sell(sale(), { RequestId: "order-2" });
  await till.reinsert();
  expect((await till.sell(sale(), { RequestId: "order-2" })).json()).toMatchObject({ totalCounter: 2 });
  expect((await till.sell(sale(), { RequestId: "order-1" })).json().code).toBe("2220");
  expect(till.cardState().totalCounter).toBe(2);
  expect(await till.makerCodes()).toEqual(["9006"]);
});

it("a card that repeats its damaged answer does not keep a sale in doubt that it has not signed", async () => {
  const till = await openTamperedTill();
  const { tampered } = till;
  for (const ins of [SIGN, LAST_SIGNED]) tampered.on(ins, async (answer) => flipped(await answer(), 4000));
  await till.sell(sale(), { RequestId: "order-1" });
  tampered.loseNextSale();
  await till.sell(sale(), { RequestId: "order-2" });
  await till.reinsert();
  expect((await till.sell(sale(), { RequestId: "order-2" })).json()).toMatchObject({ totalCounter: 2 });
  expect(await till.makerCodes()).toEqual(["9006"]);
});

it("a card that repeats its damaged answer counts the sale, and the POS that sent no RequestId learns that", async () => {
  const till = await openTamperedTill();
  for (const ins of [SIGN, LAST_SIGNED]) till.tampered.on(ins, async (answer) => flipped(await answer(), 4000));
  const { details } = (await till.sell()).json<{ details: string }>();
  expect(details).toContain("invoice 1");
  expect(details).not.toContain("same RequestId");
});

it("the proof of a receipt of 512 bytes covers one of the two spans and nothing else", async () => {
  const { publicKey } = new X509Certificate((await openTamperedTill()).card.certificate);
  const data = Buffer.alloc(HEADER + COUNTERS + 512, 7);
  for (const [length, proven] of [
    [data.length, true],
    [PROVEN, true],
    [PROVEN - 1, false],
    [PROVEN + 1, false],
  ] as const) {
    const signature = sign("RSA-SHA1", data.subarray(0, length), KEYS.cardKey);
    expect([length, isProven(data, signature, publicKey)]).toEqual([length, proven]);
  }
});
