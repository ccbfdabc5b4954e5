/** Sales wait for the card in order, up to a limit, and are dropped when their POS has gone. */
import { request } from "node:http";
import { expect, it } from "vitest";
import { TILL_SETTINGS } from "../../src/config/settings/tills.js";
import { LAST_SIGNED, openTamperedTill, SELECT, SIGN, type TamperedTill } from "../support/tampered-till.js";
import { type Answer, JSON_HEADERS, sale } from "../support/till.js";

const post = ({ sell }: TamperedTill, RequestId: string) => sell(sale(), { RequestId });
const find = ({ call }: TamperedTill, RequestId: string) => call("GET", `/api/v3/invoices/${RequestId}`);
const counterOf = (answer: Answer) => answer.json<{ totalCounter: number }>().totalCounter;

/** 503 makes the POS ask again. */
function expectNotNow(answer: Answer, details: RegExp) {
  expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "1"]);
  expect(answer.json()).toMatchObject({ code: "2220", details: expect.stringMatching(details) });
}

/** A till whose card is at work on order-1. */
async function atWork(queueLength = 256) {
  const till = await openTamperedTill({ settings: { queueLength } });
  const letGo = till.tampered.hold(SIGN);
  const first = post(till, "order-1");
  await expect.poll(() => till.tampered.times(SIGN)).toBe(1);
  return { till, first, letGo };
}

async function waits(till: TamperedTill, RequestId: string) {
  await expect.poll(async () => (await find(till, RequestId)).status).toBe(503);
}

/** A POS that can hang up. */
function posting({ url }: TamperedTill, RequestId: string) {
  const sent = request(`${url}/api/v3/invoices`, { method: "POST", headers: { ...JSON_HEADERS, RequestId } });
  sent.on("error", () => undefined);
  sent.end(JSON.stringify(sale()));
  // As a program that is killed: the end of its side alone, so soon, means only that the request is complete.
  return { hangUp: () => void sent.socket?.resetAndDestroy() };
}

it("sales that wait for the card are served in order of arrival", async () => {
  const { till, first, letGo } = await atWork();
  const ids = ["order-2", "order-3", "order-4", "order-5"];
  const answers: Promise<Answer>[] = [];
  for (const id of ids) {
    answers.push(post(till, id));
    await waits(till, id);
  }
  letGo();
  expect((await Promise.all([first, ...answers])).map(counterOf)).toEqual([1, 2, 3, 4, 5]);
});

it("sales that wait for the card are limited by the setting: one more gets 503 and is not signed, and a repeat learns that it waits", async () => {
  const { till, first, letGo } = await atWork(1);
  const second = post(till, "order-2");
  await waits(till, "order-2");
  expectNotNow(await post(till, "order-3"), /\(1\): nothing was signed, send the sale again later/);
  expectNotNow(await till.sell(), /nothing was signed/);
  // A waiting or current sale may well be signed.
  for (const id of ["order-1", "order-2"]) expectNotNow(await post(till, id), /not finished yet.*same RequestId/);
  letGo();
  expect([counterOf(await first), counterOf(await second)]).toEqual([1, 2]);
  expect(counterOf(await post(till, "order-3"))).toBe(3);
  expect(till.cardState().totalCounter).toBe(3);
});

it("sales that wait for the card are answered from the store, however many wait", async () => {
  const till = await openTamperedTill({ settings: { queueLength: 1 } });
  const stored = await post(till, "order-0");
  const letGo = till.tampered.hold(SIGN);
  const [first, second] = [post(till, "order-1"), post(till, "order-2")];
  await waits(till, "order-1");
  await waits(till, "order-2");
  expect((await post(till, "order-0")).text).toBe(stored.text);
  letGo();
  await Promise.all([first, second]);
});

it("sales that wait for the card are limited by the highest possible setting: the next one gets 2220, and status still answers", async () => {
  const { maximum } = TILL_SETTINGS.queueLength.schema;
  const { till, first } = await atWork(maximum);
  const others = Array.from({ length: maximum }, (_, i) => post(till, `queued-${i}`));
  await waits(till, `queued-${maximum - 1}`);
  expectNotNow(await post(till, "order-2"), /nothing was signed, send the sale again later/);
  expect((await till.call("GET", "/api/v3/status")).status).toBe(200);
  till.tampered.reader.remove();
  for (const answer of [await first, ...(await Promise.all(others))]) expect(answer.json().code).toBe("1300");
});

it("sales that wait for the card all get 1300 when the card is pulled out", async () => {
  const { till, first } = await atWork();
  const second = post(till, "order-2");
  await waits(till, "order-2");
  till.tampered.reader.remove();
  for (const answer of [await first, await second, await post(till, "order-3"), await find(till, "order-2")]) {
    expect([answer.status, answer.json().code]).toEqual([400, "1300"]);
  }
});

it("the queue lets a PIN wait for the comparison of card and store, and not for the sales that came meanwhile", async () => {
  const till = await openTamperedTill({ pinVerified: false });
  const [compare, sign] = [till.tampered.hold(LAST_SIGNED), till.tampered.hold(SIGN)];
  const pin = till.pin();
  await expect.poll(() => till.tampered.times(LAST_SIGNED)).toBe(1);
  const first = post(till, "order-1");
  await waits(till, "order-1");
  compare();
  expect((await pin).text).toBe("0100");
  sign();
  expect(counterOf(await first)).toBe(1);
});

/** The order in which the card signs invoices and selects applets, while sales are posted after the key was asked for. */
async function orderOf(sales: number) {
  const till = await openTamperedTill({ cardKey: "default", profile: { pkiPin: "9876" } });
  const key = async () => (await till.call("GET", "/console/audit")).json<{ cardKey: unknown }>().cardKey;
  await expect.poll(key).not.toBe(null);
  const letGo = till.tampered.hold(SIGN);
  till.tampered.asked.length = 0;
  const first = post(till, "order-0");
  await expect.poll(() => till.tampered.times(SIGN)).toBe(1);
  const entered = till.call("POST", "/console/pki-pin", { headers: JSON_HEADERS, body: { keyPin: "9876" } });
  const others: Promise<Answer>[] = [];
  for (let i = 1; i <= sales; i++) {
    others.push(post(till, `order-${i}`));
    await waits(till, `order-${i}`);
  }
  letGo();
  expect((await Promise.all([first, ...others])).map(counterOf)).toEqual(
    Array.from({ length: sales + 1 }, (_, i) => i + 1),
  );
  expect((await entered).json()).toMatchObject({ kind: "verified" });
  return till.tampered.asked.filter((instruction) => instruction === SIGN || instruction === SELECT);
}

it("the key in the card for the authority waits for the sales that wait", async () => {
  expect((await orderOf(3)).slice(0, 5)).toEqual([SIGN, SIGN, SIGN, SIGN, SELECT]);
});

it("the key in the card for the authority is used all the same while more sales come than a till has", async () => {
  const order = await orderOf(15);
  expect(order.indexOf(SELECT)).toBeGreaterThan(3);
  expect(order.indexOf(SELECT)).toBeLessThan(order.lastIndexOf(SIGN));
});

it("a POS that hangs up before its turn has nothing signed, and its RequestId stays unused", async () => {
  const { till, first, letGo } = await atWork();
  const gone = posting(till, "order-2");
  await waits(till, "order-2");
  const third = post(till, "order-3");
  await waits(till, "order-3");
  gone.hangUp();
  await expect.poll(async () => (await find(till, "order-2")).status).toBe(404);
  letGo();
  expect([counterOf(await first), counterOf(await third)]).toEqual([1, 2]);
  expect(till.service.stored).toEqual({ complete: 2, open: 0, lost: 0 });
  expect(till.cardState().totalCounter).toBe(2);
});

it("a POS that hangs up while the card signs gets its receipt when it asks again", async () => {
  const till = await openTamperedTill();
  const letGo = till.tampered.hold(SIGN);
  const gone = posting(till, "order-1");
  await expect.poll(() => till.tampered.times(SIGN)).toBe(1);
  gone.hangUp();
  letGo();
  await expect.poll(async () => (await find(till, "order-1")).status).toBe(200);
  expect(counterOf(await post(till, "order-1"))).toBe(1);
  expect(till.cardState().totalCounter).toBe(1);
});

it("GET /api/v3/invoices/{requestId} answers 503 at once for a sale that waits, is current or is in doubt, and 404 only for one that was never posted", async () => {
  const { till, first, letGo } = await atWork();
  const second = post(till, "order-2");
  await waits(till, "order-2");
  expectNotNow(await find(till, "order-1"), /not finished yet/);
  expectNotNow(await find(till, "order-2"), /not finished yet/);
  expect((await find(till, "order-3")).status).toBe(404);
  letGo();
  await Promise.all([first, second]);
  till.tampered.loseNextAnswer();
  await post(till, "order-3");
  expect((await find(till, "order-3")).json().code).toBe("1300");
  till.tampered.reader.insert(till.card);
  await expect.poll(async () => (await find(till, "order-3")).status).toBe(503);
  expectNotNow(await find(till, "order-3"), /may have signed.*same RequestId/);
  await till.pin();
  expect(counterOf(await find(till, "order-3"))).toBe(3);
});
