/** A sale is repeated by its RequestId without being signed again. */
import { expect, it, onTestFinished, vi } from "vitest";
import { makeCard, readerWith } from "../support/emulated-card.js";
import { ITEM } from "../support/refusals.js";
import { openTamperedTill } from "../support/tampered-till.js";
import { JSON_HEADERS, openTill, sale } from "../support/till.js";

it("RequestId repeated with the same invoice gets the stored answer, and nothing is signed", async () => {
  const till = await openTill();
  const first = await till.sell(sale(), { RequestId: "order-1" });
  expect(first.headers["idempotent-replayed"]).toBeUndefined();
  // Another spelling of the same invoice is the same invoice.
  const again = await till.sell(sale({ invoiceType: 0, buyerId: null, unknown: 1 }), { RequestId: "order-1" });
  expect(again.status).toBe(200);
  expect(again.headers["idempotent-replayed"]).toBe("true");
  expect([first.headers.requestid, again.headers.requestid]).toEqual(["order-1", "order-1"]);
  expect(again.text).toBe(first.text);
  expect(till.cardState().totalCounter).toBe(1);
  expect((await till.sell()).headers.requestid).toBeUndefined();
});

it.each([
  ["for another form", sale({ options: { omitQRCodeGen: "1", omitTextualRepresentation: "1" } }), {}],
  ["in a language that the environment lacks", sale(), { "Accept-Language": "de-DE" }],
  ["with fields in another order", Object.fromEntries(Object.entries(sale()).reverse()), {}],
])("RequestId repeated %s gets the stored answer, byte for byte", async (_, invoice, headers) => {
  const till = await openTill();
  const first = await till.sell(sale(), { RequestId: "order-1" });
  const again = await till.sell(invoice, { RequestId: "order-1", ...headers });
  expect([again.status, again.headers["idempotent-replayed"], again.text]).toEqual([200, "true", first.text]);
  expect(till.cardState().totalCounter).toBe(1);
});

it.each<[string, object, string]>([
  ["the time of the attempt", { dateAndTimeOfIssue: "2026-07-01T10:00:05Z" }, "dateAndTimeOfIssue"],
  ["the same moment in another form", {}, "dateAndTimeOfIssue"],
  ["a quantity", { items: [{ ...ITEM, quantity: 2 }] }, "items[0].quantity"],
  ["a buyer and a further item", { buyerId: "10:1", items: [ITEM, ITEM] }, "items[1], buyerId"],
  [
    "six fields",
    {
      ...{ buyerId: "10:1", cashier: "Other", invoiceNumber: "1", invoiceType: "Training" },
      items: [{ ...ITEM, name: "Tea", gtin: "12345678" }],
    },
    "items[0].name, items[0].gtin, cashier, invoiceType, buyerId, and more",
  ],
])("RequestId used again with another invoice is refused, and the refusal names %s", async (_, fields, named) => {
  const till = await openTill();
  await till.sell(sale({ dateAndTimeOfIssue: "2026-07-01T10:00:00Z" }), { RequestId: "order 1" });
  const other = sale({ dateAndTimeOfIssue: "2026-07-01T12:00:00+02:00", ...fields });
  const { status, json } = await till.sell(other, { RequestId: "order 1" });
  expect([status, json()]).toMatchObject([
    400,
    {
      code: "2805",
      details: expect.stringContaining(
        `another invoice; they differ in ${named}. GET /api/v3/invoices/order%201 returns the receipt`,
      ) as string,
    },
  ]);
  expect(till.cardState().totalCounter).toBe(1);
});

it("RequestId twice in one request is refused", async () => {
  const till = await openTill();
  const headers = { ...JSON_HEADERS, RequestId: ["order-1", "order-2"] };
  const { status, json } = await till.call("POST", "/api/v3/invoices", { headers, body: JSON.stringify(sale()) });
  expect([status, json()]).toMatchObject([400, { code: "2805", modelState: [{ property: "RequestId" }] }]);
  expect((await till.sell(sale(), { RequestId: "order, 1" })).status).toBe(200);
});

it.each([
  ["after the certificate's end", Date.UTC(2060, 0, 1), "2809"],
  ["with a clock that has gone back to 1970", 0, "2400"],
])("RequestId repeated %s gets the stored answer, and a new sale the refusal", async (_, later, code) => {
  let now = Date.now();
  const till = await openTill({ now: () => now });
  const first = await till.sell(sale(), { RequestId: "order-1" });
  now = later;
  const again = await till.sell(sale(), { RequestId: "order-1" });
  expect([again.status, again.headers["idempotent-replayed"], again.text]).toEqual([200, "true", first.text]);
  expect((await till.sell(sale({ cashier: "Other" }), { RequestId: "order-1" })).json().code).toBe("2805");
  expect((await till.sell(sale(), { RequestId: "order-2" })).json().code).toBe(code);
  expect((await till.sell()).json().code).toBe(code);
  till.reader.insert(till.card);
  const withoutPin = await till.sell(sale(), { RequestId: "order-1" });
  expect(withoutPin.json().code).toBe(code === "2809" ? "1500" : code);
  expect(till.cardState().totalCounter).toBe(1);
});

it("RequestId of a sale in doubt, repeated after the certificate's end, gets its receipt once the card was asked", async () => {
  let now = Date.now();
  const till = await openTamperedTill({ now: () => now });
  till.tampered.loseNextAnswer();
  expect((await till.sell(sale(), { RequestId: "order-1" })).status).not.toBe(200);
  now = Date.UTC(2060, 0, 1);
  await till.reinsert();
  expect((await till.sell(sale(), { RequestId: "order-1" })).json()).toMatchObject({ totalCounter: 1 });
});

it("RequestId with letters that HTTP cannot carry is refused", async () => {
  const till = await openTill();
  const answer = await till.sell(sale(), { RequestId: Buffer.from("наруџба-17").toString("latin1") });
  expect([answer.status, answer.json().code]).toEqual([400, "2806"]);
});

it("RequestId of a refused invoice can be used again", async () => {
  const till = await openTill();
  expect((await till.sell(sale({ items: [] }), { RequestId: "order-1" })).status).toBe(400);
  till.reader.reset();
  expect((await till.sell(sale(), { RequestId: "order-1" })).json().code).toBe("1500");
  await till.pin();
  expect((await till.sell(sale(), { RequestId: "order-1" })).json()).toMatchObject({ totalCounter: 1 });
});

it("RequestId has at most 32 characters, or 36 when configured", async () => {
  const till = await openTill();
  expect((await till.sell(sale(), { RequestId: "x".repeat(32) })).status).toBe(200);
  const long = await till.sell(sale(), { RequestId: "x".repeat(33) });
  expect([long.status, long.json().code]).toEqual([400, "2803"]);
  const uuid = "3f2504e0-4f89-11d3-9a0c-0305e82c3301";
  const refused = await till.sell(sale(), { RequestId: uuid });
  expect([refused.status, refused.json().details]).toEqual([400, expect.stringContaining("set requestIdLength to 36")]);
  const lenient = await openTill({ settings: { requestIdLength: 36 } });
  expect((await lenient.sell(sale(), { RequestId: uuid })).status).toBe(200);
  expect((await lenient.sell(sale(), { RequestId: `${uuid}x` })).status).toBe(400);
});

it("GET /api/v3/invoices/{requestId} returns the stored answer without the header that marks a repeat", async () => {
  const till = await openTill();
  for (const requestId of ["order-2", "order 1/100%?"]) {
    const posted = await till.sell(sale(), { RequestId: requestId });
    const stored = await till.call("GET", `/api/v3/invoices/${encodeURIComponent(requestId)}`);
    expect(stored.text).toBe(posted.text);
    expect(stored.headers["idempotent-replayed"]).toBeUndefined();
  }
});

it("while sales are under way a stored answer, a repeat and a right PIN do not wait for them", async () => {
  let slow = false;
  const signing: (() => void)[] = [];
  const reader = readerWith(async (command, run) => {
    if (command[1] === 0x13 && slow) await new Promise<void>((resolve) => signing.push(resolve));
    return run();
  });
  const card = makeCard();
  reader.insert(card);
  const till = await openTill({ card, reader });
  onTestFinished(() => {
    slow = false;
    for (const advance of signing) advance();
  });
  const first = await till.sell(sale(), { RequestId: "order-1" });
  const verified = vi.spyOn(till.service.secureElement, "verifyPin");
  slow = true;
  const sales = [till.sell(), till.sell()];
  await expect.poll(() => signing.length).toBe(1);
  expect((await till.call("GET", "/api/v3/invoices/order-1")).text).toBe(first.text);
  expect((await till.sell(sale(), { RequestId: "order-1" })).text).toBe(first.text);
  // The card does one thing at a time: the PIN waits for the present command, not for the queue.
  const pin = till.pin();
  await expect.poll(() => verified.mock.calls.length).toBe(1);
  signing.shift()?.();
  expect((await pin).text).toBe("0100");
  await expect.poll(() => signing.length).toBe(1);
  signing.shift()?.();
  expect((await Promise.all(sales)).map(({ status }) => status)).toEqual([200, 200]);
});
