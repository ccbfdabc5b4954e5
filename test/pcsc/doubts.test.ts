/** Another program at the same card: no sale is lost. */
import { expect, it } from "vitest";
import { pcscdForFile } from "../support/file-pcscd.js";
import { selectedByAnotherProgram } from "../support/other-program.js";
import { openPcscTill, type PcscTill } from "../support/pcsc-till.js";
import { sale } from "../support/till.js";

pcscdForFile();

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
