const INVOICE = {
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 240, paymentType: "Cash" }],
  items: [{ name: "Coffee", quantity: 2, unitPrice: 120, labels: ["A"], totalAmount: 240 }],
};

let till;
beforeAll(async () => {
  const { createEmulator } = await import("tillseal/testkit");
  till = await createEmulator({ given: { card: { pinVerified: true } } });
  // On a busy machine the import takes longer than Jest's 5 s.
}, 60_000);
beforeEach(() => till.reset());
afterAll(() => till.close());

/** What your point of sale does. */
async function sell(requestId) {
  const answer = await fetch(`${till.url}/api/v3/invoices`, {
    method: "POST",
    headers: { "Content-Type": "application/json", RequestId: requestId },
    body: JSON.stringify(INVOICE),
  });
  return answer.json();
}

test("a lost answer is fetched again, and the card has signed once", async () => {
  till.fault({ on: "answer", nth: 1, kind: "connectionDropped" });
  await expect(sell("order-1")).rejects.toThrow("fetch failed");
  expect(await sell("order-1")).toMatchObject({ totalCounter: 1 });
  expect(till.card.state.counters.total).toBe(1);
});

test("a removed card answers 1300", async () => {
  till.card.remove();
  expect(await sell("order-1")).toMatchObject({ code: "1300" });
  await expect(till.card.patch({ limt: "200" })).rejects.toThrow("limt is not known");
});
