import { createEmulator, type Emulator } from "tillseal/testkit";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

let till: Emulator;
beforeAll(async () => {
  till = await createEmulator({ given: { card: { pinVerified: true } } });
});
beforeEach(() => till.reset());
afterAll(() => till.close());

const INVOICE = {
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 240, paymentType: "Cash" }],
  items: [{ name: "Coffee", quantity: 2, unitPrice: 120, labels: ["A"], totalAmount: 240 }],
};

/** What your point of sale does. */
async function sell(requestId: string) {
  const answer = await fetch(`${till.url}/api/v3/invoices`, {
    method: "POST",
    headers: { "Content-Type": "application/json", RequestId: requestId },
    body: JSON.stringify(INVOICE),
  });
  return { status: answer.status, receipt: (await answer.json()) as Record<string, unknown> };
}

test("a receipt is signed and counted", async () => {
  const { status, receipt } = await sell("order-1");
  expect(status).toBe(200);
  expect(receipt.journal).toContain("Coffee (A)");
  expect(till.card.state.counters).toMatchObject({ total: 1, NS: 1 });
});

test("a card that is pulled out in the middle of a sale signs it once", async () => {
  till.fault({ on: "sign", nth: 1, kind: "removedAfter" });
  expect((await sell("order-1")).receipt.code).toBe("1300");
  await till.card.insert();
  expect((await sell("order-1")).receipt.code).toBe("1500");
  await fetch(`${till.url}/api/v3/pin`, { method: "POST", body: till.card.pin });
  expect((await sell("order-1")).status).toBe(200);
  expect(till.card.state.counters.total).toBe(1);
});

test("a POS that repeats an invoice does not sell twice", async () => {
  till.fault({ on: "answer", nth: 1, kind: "connectionDropped" });
  await expect(sell("order-1")).rejects.toThrow();
  await sell("order-1");
  expect(till.requests({ method: "POST", requestId: "order-1" })).toHaveLength(2);
  expect(till.signed({ body: { invoiceType: "Normal" } })).toHaveLength(1);
});

test("a card over its limit sells again after an audit", async () => {
  await till.card.patch({ limit: "200" });
  expect((await sell("order-1")).status).toBe(200);
  expect((await sell("order-2")).receipt.code).toBe("2210");
  await till.card.audit();
  expect((await sell("order-3")).status).toBe(200);
});

test("an hour passes at once", async () => {
  till.clock.freeze("2026-03-01T23:30:00Z");
  till.clock.advance("1h");
  expect((await sell("order-1")).receipt.sdcDateTime).toBe("2026-03-02T01:30:00.000+01:00");
});
