/** Another program at the same card: no sale is lost, and what it has signed is reported. */
import { afterAll, beforeAll, expect, it } from "vitest";
import { selectedByAnotherProgram } from "../support/other-program.js";
import { Pcscd } from "../support/pcsc.js";
import { openPcscTill, type PcscTill } from "../support/pcsc-till.js";
import { openTill, sale } from "../support/till.js";

const pcscd = new Pcscd();
beforeAll(() => pcscd.start());
afterAll(() => pcscd.stop());

const makerCodes = async (till: PcscTill) => (await till.call("GET", "/api/v3/status")).json<{ mssc: string[] }>().mssc;

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
