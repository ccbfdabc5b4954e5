import { CODES, createClient, type Invoice, submit } from "tillseal/client";
import { createEmulator, type Emulator } from "tillseal/testkit";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

let till: Emulator;
beforeAll(async () => {
  till = await createEmulator();
});
beforeEach(() => till.reset());
afterAll(() => till.close());

const coffee: Invoice = {
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 240, paymentType: "Cash" }],
  items: [{ name: "Coffee", quantity: 2, unitPrice: 120, labels: ["A"], totalAmount: 240 }],
};

test("a sale is signed and returned, even when its answer is lost", async () => {
  const service = createClient({ url: till.url });
  expect(await service.pin({ body: { pin: till.card.pin } })).toMatchObject({ ok: true, data: "0100" });
  // The card signs, but the answer is lost: submit() sends the invoice again with the same RequestId.
  till.fault({ on: "answer", nth: 1, kind: "connectionDropped" });
  const sale = await submit(service, coffee, "order-1", { pauseMs: 1 });
  if (!sale.ok) throw new Error(sale.error.message);
  const refund = await submit(
    service,
    {
      ...coffee,
      transactionType: "Refund",
      referentDocumentNumber: sale.data.invoiceNumber,
      referentDocumentDT: sale.data.sdcDateTime,
    },
    "order-1-refund",
  );
  expect(refund.ok && refund.data.invoiceCounter).toBe("1/2NR");
  expect(till.card.state.counters).toMatchObject({ total: 2, NS: 1, NR: 1 });
});

test("each code says what to do next", async () => {
  const service = createClient({ url: till.url });
  const actions: string[] = [];
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const answer = await submit(service, coffee, "order-2");
    if (answer.ok) break;
    const { action } = CODES[answer.error.code];
    actions.push(action);
    if (action === "enter-pin") await service.pin({ body: { pin: till.card.pin } });
  }
  expect(actions).toEqual(["enter-pin"]);
});
