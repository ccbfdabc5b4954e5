/** Another program shares the card and selects another applet between the sales. */
import { expect, it } from "vitest";
import { makeCard } from "../support/emulated-card.js";
import { openTamperedTill, SIGN } from "../support/tampered-till.js";
import { openTill, sale, soldStore } from "../support/till.js";

const SELECT_PKI = Buffer.from("00A404000BA000000397425446590201", "hex");
const VERIFY = 0x11;

it("another program costs no sale, no answer and no attempt: the same sale is signed after the applet was selected again", async () => {
  const till = await openTill();
  for (let counter = 1; counter <= 3; counter++) {
    await till.card.transmit(SELECT_PKI);
    const answer = await till.sell(sale(), { RequestId: `order-${counter}` });
    expect([answer.status, answer.json().totalCounter]).toEqual([200, counter]);
  }
  await till.card.transmit(SELECT_PKI);
  expect((await till.pin()).text).toBe("0100");
  expect(till.cardState()).toMatchObject({ totalCounter: 3, pinTriesLeft: 5 });
  expect(till.service.stored).toMatchObject({ complete: 3, open: 0, lost: 0 });
});

it("another program that has signed meanwhile is noticed before the sale is signed", async () => {
  const till = await openTill();
  await till.sell();
  await soldStore(1, { card: till.card });
  await till.card.transmit(SELECT_PKI);
  expect((await till.sell()).json()).toMatchObject({ totalCounter: 3 });
  expect((await till.call("GET", "/api/v3/status")).json()).toMatchObject({ mssc: ["9002", "9004"] });
});

it("another program that selects its applet again before each signature gets the POS an answer, and nothing is signed", async () => {
  const till = await openTamperedTill();
  till.tampered.on(SIGN, async (answer) => {
    await till.card.transmit(SELECT_PKI);
    return answer();
  });
  const refused = await till.sell(sale(), { RequestId: "order-1" });
  expect(refused.json()).toMatchObject({ code: "2220" });
  expect(till.cardState().totalCounter).toBe(0);
  till.tampered.asItIs();
  expect((await till.sell(sale(), { RequestId: "order-1" })).json()).toMatchObject({ totalCounter: 1 });
});

it("another program that has changed the PIN costs one attempt at most, and the POS is asked for the PIN", async () => {
  const till = await openTamperedTill({ card: makeCard({ pinTries: 5 }) });
  const refuse = () => Promise.resolve(Buffer.from("6302", "hex"));
  till.tampered.on(VERIFY, refuse);
  await till.card.transmit(SELECT_PKI);
  const before = till.tampered.times(VERIFY);
  expect((await till.sell()).json()).toMatchObject({ code: "1500" });
  expect((await till.sell()).json()).toMatchObject({ code: "1500" });
  expect(till.tampered.times(VERIFY) - before).toBe(1);
});
