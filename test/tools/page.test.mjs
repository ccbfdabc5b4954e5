/** The test kit in an environment of vitest that has the globals of a page. kit.mjs runs it. */

import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { createEmulator } from "../../dist/harness/testkit.js";

const INVOICE = {
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 240, paymentType: "Cash" }],
  items: [{ name: "Coffee", quantity: 2, unitPrice: 120, labels: ["A"], totalAmount: 240 }],
};

let till;
beforeAll(async () => {
  till = await createEmulator({ given: { card: { pinVerified: true } } });
  // On a busy machine the import takes long.
}, 60_000);
afterEach(() => vi.useRealTimers());
afterAll(() => till.close());

test.each(["real", "fake"])(
  "an emulator signs a sale with %s timers",
  async (timers) => {
    expect(document.body).toBeDefined();
    // The fetch of happy-dom needs setImmediate.
    if (timers === "fake") vi.useFakeTimers({ toFake: ["Date", "setTimeout", "setInterval"] });
    await till.reset();
    const answer = await fetch(`${till.url}/api/v3/invoices`, {
      method: "POST",
      headers: { "Content-Type": "application/json", RequestId: "order-1" },
      body: JSON.stringify(INVOICE),
    });
    expect(answer.status).toBe(200);
    expect(till.card.state.counters.total).toBe(1);
  },
  30_000,
);
