/** Requests in the forms of programs that sell to deployed services (protocol facts, section 4, "Invoice request"). */
import fc from "fast-check";
import { expect, it } from "vitest";
import { openTill, sale } from "../support/till.js";

const rounded = (value: number, decimals: number) => Number(value.toFixed(decimals));

/** Lines as a POS makes them: each number is rounded, but the POS adds up the totals as binary numbers. */
const cart = fc.array(
  fc
    .record({ cents: fc.integer({ min: 1, max: 500_000 }), grams: fc.integer({ min: 1, max: 20_000 }) })
    .map(({ cents, grams }) => {
      const unitPrice = cents / 100;
      const quantity = grams / 1000;
      return { name: "Tea", labels: ["A"], quantity, unitPrice, totalAmount: rounded(unitPrice * quantity, 2) };
    }),
  { minLength: 1, maxLength: 12 },
);

it("a program that adds up its cart in binary numbers is served, and its receipt prints the payment as the total", async () => {
  const { sell } = await openTill();
  await fc.assert(
    fc.asyncProperty(cart, async (items) => {
      const amount = items.reduce((sum, { totalAmount }) => sum + totalAmount, 0);
      const { status, json } = await sell(sale({ items, payment: [{ amount, paymentType: "Cash" }] }));
      expect(status).toBe(200);
      const { journal, totalAmount } = json<{ journal: string; totalAmount: number }>();
      const printed = /^(?:Cash|Готовина): +([\d.,]+)\r$/m.exec(journal)?.[1];
      expect(printed?.replaceAll(/\D/g, "")).toBe(String(Math.round(totalAmount * 100)).padStart(3, "0"));
    }),
    { numRuns: 30 },
  );
});

it("a program that multiplies in binary numbers is served, and its receipt has the decimals that it means", async () => {
  const { sell } = await openTill();
  const items = [
    { name: "Odoo", labels: ["A"], quantity: 1.1 * 3, unitPrice: 301.0363636363637, totalAmount: 993.4200000000001 },
    { name: "Sum", labels: ["A"], quantity: 3, unitPrice: 0.1, totalAmount: 0.1 + 0.2 },
    { name: "Large", labels: ["A"], quantity: 1, unitPrice: 4_503_599.37 * 7, totalAmount: 4_503_599.37 * 7 },
  ];
  const refused = await sell(sale({ items }));
  expect(refused.json()).toMatchObject({ modelState: [{ property: "items[0].unitPrice", errors: ["2806"] }] });
  const sold = await sell(sale({ items: items.map((item) => ({ ...item, unitPrice: item.totalAmount })) }));
  expect(sold.json()).toMatchObject({ totalAmount: 31_526_189.31 });
  expect(sold.json<{ journal: string }>().journal).toContain("993.42");
});

it("a program that sends numbers and false in text fields, as Odoo's modules and a till in Next.js do, is served", async () => {
  const { sell } = await openTill();
  const items = [
    { gtin: 12345678, name: 4711, labels: ["A"], quantity: 1, unitPrice: 100, totalAmount: 100 },
    { gtin: false, name: "Tea", labels: ["A"], quantity: 1, unitPrice: 100, totalAmount: 100 },
  ];
  const answer = await sell(
    sale({ items, invoiceNumber: 72726, buyerId: 17, cashier: false, referentDocumentNumber: false }),
  );
  expect(answer.status).toBe(200);
  const { journal } = answer.json<{ journal: string }>();
  expect(journal).toMatch(/ 72726\r\n/);
  expect(journal).toMatch(/ 17\r\n/);
  expect(journal).toContain("4711 (A)");
  expect(journal).not.toMatch(/Cashier|Ref|false/);
});

it("a program that writes local times with a literal Z and with slashes, as php-esir does, is served", async () => {
  const { sell } = await openTill({ environment: "cyrillic" });
  const items = [{ gtin: null, name: "Kafa/kom", unitPrice: 180.87, quantity: 2, labels: ["Ђ"], totalAmount: 361.73 }];
  const options = { omitQRCodeGen: "1", omitTextualRepresentation: "0" };
  const post = async (body: object) => {
    const answer = await sell({ options, payment: [{ amount: 361.72999999999996, paymentType: 1 }], items, ...body });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    return answer.json<{ journal: string; invoiceNumber: string; sdcDateTime: string; verificationQRCode: null }>();
  };
  const sold = await post({ invoiceType: 0, transactionType: 0, invoiceNumber: "72/1.0" });
  const local = sold.sdcDateTime.slice(0, 19);
  const refund = await post({
    invoiceType: "Normal",
    transactionType: "Refund",
    referentDocumentNumber: sold.invoiceNumber,
    referentDocumentDT: `${local}Z`,
  });
  const [date = "", time = ""] = local.split("T");
  const printed = `${date.split("-").reverse().join(".")}. ${time.replace(/^0/, "")}`;
  expect(refund.journal).toContain(`Реф. време:${printed.padStart(29)}`);
  const slashes = `${date.replaceAll("-", "/")} ${time}`;
  const advance = await post({ invoiceType: "Advance", transactionType: "Sale", dateAndTimeOfIssue: slashes });
  expect(advance.journal).toContain(`ЕСИР време:${printed.padStart(29)}`);
});

it("a program that names the purpose of an invoice without a buyer is served", async () => {
  const { sell } = await openTill();
  const answer = await sell(sale({ buyerCostCenterId: "Donation" }));
  expect(answer.json().journal).toMatch(/ Donation\r\n/);
});
