import { CODES, createClient, type Invoice, submit } from "tillseal/client";
import { beforeEach, expect, test } from "vitest";

const service = createClient();

async function control(path: string, body: object): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const url = `${process.env.TILLSEAL_CONTROL_URL}/control/${path}`;
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  expect(answer.status).toBeLessThan(300);
}
beforeEach(() => control("reset", {}));

const coffee: Invoice = {
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 240, paymentType: "Cash" }],
  items: [{ name: "Coffee", quantity: 2, unitPrice: 120, labels: ["A"], totalAmount: 240 }],
};

test("a sale is signed and returned, even when its answer is lost", async () => {
  await service.status();
  expect(await service.pin({ body: { pin: "1234" } })).toMatchObject({ ok: true, data: "0100" });
  // The card signs, but the answer is lost: submit() repeats the sale with its RequestId.
  await control("do", { faults: [{ on: "answer", nth: 1, kind: "connectionDropped" }] });
  const sale = await submit(service, coffee, "order-1", { pauseMs: 1 });
  if (!sale.ok) throw new Error(sale.error.message);
  const { invoiceNumber: referentDocumentNumber, sdcDateTime: referentDocumentDT } = sale.data;
  const returned: Invoice = { ...coffee, transactionType: "Refund", referentDocumentNumber, referentDocumentDT };
  const refund = await submit(service, returned, "order-1-refund");
  expect(refund.ok && refund.data.invoiceCounter).toBe("1/2NR");
});

test("each code says what to do next", async () => {
  const actions: string[] = [];
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const answer = await submit(service, coffee, "order-2");
    if (answer.ok) break;
    const { action } = CODES[answer.error.code];
    actions.push(action);
    if (action === "enter-pin") await service.pin({ body: { pin: "1234" } });
  }
  expect(actions).toEqual(["enter-pin"]);
});
