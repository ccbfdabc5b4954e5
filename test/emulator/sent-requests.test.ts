/** "Was this sent?": the control interface and the kit find, count and await requests. */
import { expect, it } from "vitest";
import { openControlled, openedEmulator } from "../support/control.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

const INVOICES = "/api/v3/invoices";

async function openKit() {
  const till = await openedEmulator({ given: { card: { pinVerified: true } } });
  const sell = (RequestId: string, fields = {}) =>
    callService(till.url, "POST", INVOICES, { headers: { ...JSON_HEADERS, RequestId }, body: sale(fields) });
  return { till, sell };
}

it("the kit finds requests by path, method, code, RequestId and part of the body", async () => {
  const { till, sell } = await openKit();
  await sell("order-1", { cashier: "Ana" });
  await sell("order-2", { items: [] });
  await callService(till.url, "POST", "/api/v3/pin", { headers: { "Content-Type": "text/plain" }, body: "9999" });
  await callService(till.url, "GET", "/api/v3/attention");
  const ids = (where: Parameters<typeof till.requests>[0]) => till.requests(where).map(({ id }) => id);
  expect(ids({})).toEqual([1, 2, 3, 4]);
  expect(ids({ method: "GET" })).toEqual([4]);
  expect(ids({ path: INVOICES })).toEqual([1, 2]);
  expect(ids({ code: "2807" })).toEqual([2]);
  expect(ids({ code: "2100" })).toEqual([3]);
  expect(ids({ requestId: "order-1" })).toEqual([1]);
  expect(ids({ body: { cashier: "Ana", invoiceType: "Normal" } })).toEqual([1]);
  expect(ids({ body: { payment: { $length: 1 } }, status: 400 })).toEqual([2]);
  expect(ids({ requestId: null })).toEqual([3, 4]);
  expect(() => till.requests({ pth: "/" } as object)).toThrow("pth is not known; did you mean path?");
  await till.reset();
  expect(till.requests()).toEqual([]);
});

it("the kit lists what was signed, once for each invoice, however often the POS repeated it", async () => {
  const { till, sell } = await openKit();
  till.fault({ on: "answer", nth: 1, kind: "connectionDropped" });
  await expect(sell("order-1")).rejects.toThrow();
  await sell("order-1");
  await sell("order-1");
  await sell("order-2", { items: [] });
  expect(till.requests({ requestId: "order-1" })).toHaveLength(3);
  expect(till.signed()).toMatchObject([{ requestId: "order-1", status: 0, answer: { totalCounter: 1 } }]);
  expect(till.signed({ requestId: "order-2" })).toEqual([]);
  await sell(" ", { items: [] });
  expect(till.requests({ requestId: null })).toHaveLength(1);
});

it("the kit waits for the n-th request, and lists what came instead", async () => {
  const { till, sell } = await openKit();
  const second = till.waitForRequest({ path: INVOICES, status: 200 }, { nth: 2, within: "1m" });
  await sell("order-1");
  await sell("order-2", { items: [] });
  await sell("order-3");
  expect(await second).toMatchObject({ requestId: "order-3", signed: true });
  expect(await till.waitForRequest({ requestId: "order-1" })).toMatchObject({ id: 1 });
  await expect(till.waitForRequest({ requestId: "order-4" }, { within: "1ms" })).rejects.toThrow(
    [
      'request 1 with {"requestId":"order-4"} did not come within 1ms; 0 of 3 requests match',
      `POST ${INVOICES} order-1: 200`,
      `POST ${INVOICES} order-2: 400 2807`,
      `POST ${INVOICES} order-3: 200`,
    ].join("\n"),
  );
  await expect(till.waitForRequest({}, { within: "2h" })).rejects.toThrow("within must be between 0s and 10m");
});

it("the control interface finds, counts and waits like the kit", async () => {
  const { control, sell } = await openControlled();
  const find = (body: object) => control("POST", "/traffic/find", body);
  const waiting = find({ where: { requestId: "order-2" }, nth: 1, within: "1m" });
  await sell("order-1");
  await sell("order-2");
  expect((await waiting).json()).toMatchObject({ count: 1, requests: [{ requestId: "order-2" }] });
  expect((await find({ where: { body: { invoiceType: "Normal" } } })).json()).toMatchObject({ count: 2 });
  expect((await find({ where: { signed: false } })).json()).toEqual({ count: 0, requests: [] });
  const late = await find({ where: { code: "1300" }, nth: 1, within: "0s" });
  expect([late.status, late.json()]).toEqual([
    404,
    {
      message: 'request 1 with {"code":"1300"} did not come within 0s; 0 of 2 requests match',
      details: [`POST ${INVOICES} order-1: 200`, `POST ${INVOICES} order-2: 200`],
    },
  ]);
});

it("the control interface survives a body of 20,000 brackets while it waits, and compares it as text", async () => {
  const { control, world } = await openControlled();
  const find = (body: object) => control("POST", "/traffic/find", body);
  const deep = "[".repeat(20_000) + "]".repeat(20_000);
  const waiting = find({ where: { body: { cashier: "Ana" } }, nth: 1, within: "1m" });
  const post = (body: string) =>
    callService(world.url, "POST", INVOICES, { headers: { "content-type": "application/json" }, body });
  expect((await post(deep)).status).toBe(400);
  await post('{"cashier":"Ana"}');
  expect((await waiting).json()).toMatchObject({ count: 1 });
  expect((await find({ where: { body: { $match: "^\\[+\\]+$" } } })).json()).toMatchObject({ count: 1 });
});

it("the control interface is not kept busy by a pattern, and refuses one that it cannot use", async () => {
  const { control, world } = await openControlled();
  const find = (pattern: string) =>
    control("POST", "/traffic/find", { where: { body: { cashier: { $match: pattern } } } });
  await callService(world.url, "POST", INVOICES, { body: { cashier: `${"a".repeat(10_000)}!` } });
  expect((await find("(a+)+$")).json()).toMatchObject({ count: 0 });
  expect((await find("(a+)+!$")).json()).toMatchObject({ count: 1 });
  const refusals = await Promise.all(["(?<!a)b", "(a)\\1", "(a"].map(find));
  expect(refusals.map(({ status, json }) => [status, json<{ message: string }>().message])).toEqual([
    [
      400,
      expect.stringMatching(/^\$match: the pattern "\(\?<!a\)b" cannot be used: .*; patterns have neither lookaround/),
    ],
    [400, expect.stringMatching(/; patterns have neither lookaround nor references to groups$/)],
    [400, expect.stringMatching(/^\$match: the pattern "\(a" cannot be used: missing closing \): `\(a`$/)],
  ]);
});

it("the control interface refuses patterns whose repetitions would keep it busy, and compiles none of them", async () => {
  const { control } = await openControlled();
  const find = (where: object) => control("POST", "/traffic/find", { where });
  const refused = [
    { path: { $match: "(a?){1000}".repeat(10_000) } },
    { path: { $match: "((a?){30}){30}b" } },
    { body: Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`k${i}`, { $match: `[^${i}]{50}` }])) },
  ];
  for (const where of refused) {
    const { status, json } = await find(where);
    expect([status, json<{ message: string }>().message]).toEqual([
      400,
      expect.stringMatching(/^\$match: the patterns have the size \d+ with their repetitions, and at most 2000$/),
    ]);
  }
  const usual = { path: { $match: "^/api/v3/invoices/[A-Z0-9]{8}-[A-Z0-9]{8}-\\d{1,10}(\\?.*){0,1}$" } };
  expect((await find(usual)).json()).toMatchObject({ count: 0 });
});
