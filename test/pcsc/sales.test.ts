/** Sales over HTTP with a card behind pcscd: none is lost or doubled, whatever is pulled out or killed. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { Pcscd } from "../support/pcsc.js";
import { openPcscTill, type PcscTill } from "../support/pcsc-till.js";
import type { Answer } from "../support/till.js";

let pcscd: Pcscd;
beforeEach(async () => {
  pcscd = new Pcscd();
  await pcscd.start();
});
afterEach(() => pcscd.stop());

const sellAs = (till: PcscTill, requestId: string) => till.sell(undefined, { RequestId: requestId });
const find = (till: PcscTill, requestId: string) => till.call("GET", `/api/v3/invoices/${requestId}`);
const counterOf = (answer: Answer) => answer.json<{ totalCounter: number }>().totalCounter;
const codeOf = (answer: Answer) => answer.json<{ code: string }>().code;

async function backWithPin(till: PcscTill): Promise<void> {
  await till.cardIs("1500");
  expect((await till.pin()).text).toBe("0100");
}

it("sales through pcscd answers 500 in the order of the card's counter", async () => {
  const till = await openPcscTill();
  const counters: number[] = [];
  for (let i = 0; i < 500; i++) counters.push(counterOf(await till.sell()));
  expect(counters).toEqual(counters.map((_, i) => i + 1));
  expect(till.cardState().totalCounter).toBe(500);
});

it("sales through pcscd refuses with 1300 while the card is out, and sells again after the PIN", async () => {
  const till = await openPcscTill();
  await till.remove();
  const refused = await sellAs(till, "before");
  expect([codeOf(refused), till.cardState().totalCounter]).toEqual(["1300", 0]);
  await till.insert();
  await backWithPin(till);
  expect(counterOf(await sellAs(till, "before"))).toBe(1);
});

it("sales through pcscd keeps the invoice of a card that was pulled out after it had signed and before it answered", async () => {
  const till = await openPcscTill();
  till.tampered.onSign(async (answer) => {
    const signed = await answer();
    await till.link.remove();
    return signed;
  });
  const failed = await sellAs(till, "during");
  expect(failed.status).toBeGreaterThanOrEqual(400);
  expect(till.cardState().totalCounter).toBe(1);
  till.tampered.asItIs();
  await till.remove();
  await till.cardIs("1300");
  await till.insert();
  await backWithPin(till);
  expect(counterOf(await find(till, "during"))).toBe(1);
  expect(counterOf(await sellAs(till, "during"))).toBe(1);
  expect(counterOf(await sellAs(till, "next"))).toBe(2);
});

it("sales through pcscd signs once when the card was pulled out before it signed", async () => {
  const till = await openPcscTill();
  till.tampered.onSign(async () => {
    await till.link.remove();
    throw new Error("no power");
  });
  const failed = await sellAs(till, "during");
  expect(failed.status).toBeGreaterThanOrEqual(400);
  till.tampered.asItIs();
  await till.remove();
  await till.cardIs("1300");
  await till.insert();
  await backWithPin(till);
  expect((await find(till, "during")).status).toBe(404);
  expect(counterOf(await sellAs(till, "during"))).toBe(1);
  expect(till.cardState().totalCounter).toBe(1);
});

it("sales through pcscd has no card while pcscd and its readers are gone, and recovers", async () => {
  const till = await openPcscTill();
  await pcscd.stop();
  await till.cardIs("1300");
  expect(codeOf(await till.sell())).toBe("1300");
  await pcscd.start();
  await backWithPin(till);
  expect(counterOf(await till.sell())).toBe(1);
});

it("sales through pcscd starts without pcscd, and finds the card when pcscd starts", async () => {
  const till = await openPcscTill({ pinVerified: false });
  await pcscd.stop();
  await till.cardIs("1300");
  await pcscd.start();
  await backWithPin(till);
});

it("sales through pcscd answers or reports each of 100 invoices once, with pcscd killed in the middle of them", async () => {
  const till = await openPcscTill();
  const answered = new Map<string, number>();
  const failed: string[] = [];
  for (let i = 0; i < 100; i++) {
    const requestId = `sale-${i}`;
    const pending = sellAs(till, requestId);
    if (i === 50) {
      await pcscd.kill();
      await pending;
      await pcscd.start();
      await till.cardIs("1500");
    }
    const answer = await pending;
    if (answer.status === 200) answered.set(requestId, counterOf(answer));
    else {
      failed.push(requestId);
      expect(["1300", "1500", "2220"]).toContain(codeOf(answer));
      await till.pin();
    }
  }
  await till.pin();
  for (const requestId of failed) {
    const answer = await find(till, requestId);
    if (answer.status === 200) answered.set(requestId, counterOf(answer));
    else answered.set(requestId, counterOf(await sellAs(till, requestId)));
  }
  const counters = [...answered.values()].sort((a, b) => a - b);
  expect(counters).toEqual(Array.from({ length: 100 }, (_, i) => i + 1));
  expect(till.cardState().totalCounter).toBe(100);
  for (const [requestId, counter] of answered) expect(counterOf(await find(till, requestId))).toBe(counter);
});
