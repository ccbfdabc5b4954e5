/** What a real reader may do to a signature, and another program to the counters: no receipt is lost or wrong. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { selectedByAnotherProgram } from "../support/other-program.js";
import { Pcscd } from "../support/pcsc.js";
import { openPcscTill, type PcscTill } from "../support/pcsc-till.js";
import { LAST_SIGNED, SIGN } from "../support/tampered-till.js";
import { openTill, sale } from "../support/till.js";

const pcscd = new Pcscd();
beforeAll(() => pcscd.start());
afterAll(() => pcscd.stop());

const PKI = Buffer.from("00A404000BA000000397425446590201", "hex");
const order = { RequestId: "order-1" };
const makerCodes = async (till: PcscTill) => (await till.call("GET", "/api/v3/status")).json<{ mssc: string[] }>().mssc;

/** Flips one bit of the counter. */
function flipped(answer: Uint8Array): Uint8Array {
  const damaged = Buffer.from(answer);
  damaged.writeUInt8(damaged.readUInt8(64) ^ 2, 64);
  return damaged;
}

it("a signature with one wrong bit is returned again by the card, and the receipt is proven", async () => {
  const till = await openPcscTill();
  till.tampered.onSign(async (answer) => flipped(await answer()));
  expect((await till.sell(sale(), order)).json()).toMatchObject({ totalCounter: 1, signedBy: "TESTCARD" });
  expect(await makerCodes(till)).toEqual(["9002"]);
});

it("a signature with one wrong bit that the card repeats gives no receipt: final, and reported", async () => {
  const till = await openPcscTill();
  till.tampered.tamper = async (command, answer) =>
    command[1] === SIGN || command[1] === LAST_SIGNED ? flipped(await answer()) : answer();
  const refused = await till.sell(sale(), order);
  expect(refused.json()).toMatchObject({ code: "2220", details: expect.stringContaining("as invoice 1") });
  expect(await makerCodes(till)).toEqual(["9002", "9006"]);
  till.tampered.asItIs();
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 2 });
});

it("a sale in doubt is settled although the card answers oddly until it is reconnected", async () => {
  const till = await openPcscTill();
  let odd = 2;
  till.tampered.tamper = async (command, answer) => {
    if (command[1] === SIGN) return answer().then(() => Uint8Array.of(0x6f, 0x00));
    return command[1] === LAST_SIGNED && odd-- > 0 ? Uint8Array.of(0x69, 0x85) : answer();
  };
  expect((await till.sell(sale(), order)).json()).toMatchObject({ totalCounter: 1 });
  expect(odd).toBeLessThan(0);
  expect(till.cardState().totalCounter).toBe(1);
});

it("a sale in doubt is not signed over when another program has selected another applet", async () => {
  const till = await openPcscTill();
  till.tampered.tamper = async (command, answer) => {
    if (command[1] === SIGN) return answer().then(() => Uint8Array.of(0x6f, 0x00));
    if (command[1] === LAST_SIGNED) await till.card.transmit(PKI);
    return answer();
  };
  await till.sell(sale(), order);
  till.tampered.asItIs();
  await till.pin();
  expect((await till.sell(sale(), order)).json()).toMatchObject({ totalCounter: 1 });
  expect(till.cardState().totalCounter).toBe(1);
});

it("another program that has selected the PKI applet costs no sale and no attempt: 6E00 means that nothing was signed, and the same sale is signed", async () => {
  const till = await openPcscTill();
  for (let counter = 1; counter <= 3; counter++) {
    await selectedByAnotherProgram();
    expect((await till.sell(sale(), { RequestId: `order-${counter}` })).json()).toMatchObject({
      totalCounter: counter,
    });
  }
  expect(till.cardState()).toMatchObject({ totalCounter: 3, pinTriesLeft: till.card.profile.pinTries });
  expect(await makerCodes(till)).toEqual(["9002"]);
});

it("the service reports what another program has signed after the PIN, and stores its last invoice", async () => {
  const till = await openPcscTill();
  await till.sell();
  await till.remove();
  const elsewhere = await openTill({ card: till.card });
  for (let i = 0; i < 2; i++) await elsewhere.sell();
  await elsewhere.stop();
  await till.insert();
  await till.cardIs("1500");
  await till.pin();
  const status = (await till.call("GET", "/api/v3/status")).json();
  expect(status).toMatchObject({ mssc: ["9002", "9004"], lastInvoiceNumber: "TESTCARD-TESTCARD-3" });
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 4 });
});
