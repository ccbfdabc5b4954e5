/** Every wrong field of an invoice is named with its code, and moves no counter. scenarios/refused/fields.yaml has the others. */
import { expect, it } from "vitest";
import { type Expected, expectRecord, ITEM, oneItem, openRefusingTill, rawItem } from "../support/refusals.js";
import { JSON_HEADERS, sale } from "../support/till.js";

const onePayment = (overrides: object) => sale({ payment: [{ amount: 1, paymentType: "Cash", ...overrides }] });

it.each<[what: string, body: object, ...Expected[]]>([
  [
    "everything required is missing",
    {},
    { code: "2800", property: "invoiceType" },
    { code: "2800", property: "transactionType" },
    { code: "2800", property: "payment" },
    { code: "2800", property: "items" },
  ],
  [
    "everything of an item and a payment is missing",
    sale({ items: [{}], payment: [{}] }),
    { code: "2800", property: "payment[0].amount" },
    { code: "2800", property: "payment[0].paymentType" },
    { code: "2800", property: "items[0].name" },
    { code: "2800", property: "items[0].quantity" },
    { code: "2800", property: "items[0].unitPrice" },
    { code: "2800", property: "items[0].labels" },
    { code: "2800", property: "items[0].totalAmount" },
  ],
  ["required and null", sale({ invoiceType: null }), { code: "2800", property: "invoiceType" }],
  [
    "cost centre too long",
    sale({ buyerCostCenterId: "x".repeat(51) }),
    { code: "2801", property: "buyerCostCenterId" },
  ],
  ["a list as a cashier", sale({ cashier: [] }), { code: "2806", property: "cashier" }],
  ["true as a cashier", sale({ cashier: true }), { code: "2806", property: "cashier" }],
  ["false as a required name", oneItem({ name: false }), { code: "2806", property: "items[0].name" }],
  ["a number that is too short a text", oneItem({ gtin: 1234567 }), { code: "2802", property: "items[0].gtin" }],
  ["invoice type out of its numbers", sale({ invoiceType: 5 }), { code: "2805", property: "invoiceType" }],
  ["empty transaction type", sale({ transactionType: "" }), { code: "2805", property: "transactionType" }],
  ["payment type 7", onePayment({ paymentType: 7 }), { code: "2805", property: "payment[0].paymentType" }],
  [
    "payment that is not a list",
    sale({ payment: { amount: 1, paymentType: "Cash" } }),
    { code: "2806", property: "payment" },
  ],
  [
    "items that are not objects",
    sale({ items: [null, 1] }),
    { code: "2806", property: "items[0]" },
    { code: "2806", property: "items[1]" },
  ],
  ["an empty label", oneItem({ labels: [""] }), { code: "2310", property: "items[0].labels[0]" }],
  ["a label that is too long", oneItem({ labels: ["UNKNOWNLABEL"] }), { code: "2310", property: "items[0].labels[0]" }],
  ["labels that are not texts", oneItem({ labels: [null] }), { code: "2806", property: "items[0].labels[0]" }],
  ["a number that is no label", oneItem({ labels: [1] }), { code: "2310", property: "items[0].labels[0]" }],
  [
    "unknown labels",
    oneItem({ labels: ["A", "X", "Я"] }),
    { code: "2310", property: "items[0].labels[1]" },
    { code: "2310", property: "items[0].labels[2]" },
  ],
  ["a Cyrillic letter for a Latin label", oneItem({ labels: ["А"] }), { code: "2310", property: "items[0].labels[0]" }],
  ["name of 2,049 characters", oneItem({ name: "x".repeat(2049) }), { code: "2801", property: "items[0].name" }],
  ["line feed in a name", oneItem({ name: "Tea\r\n====" }), { code: "2806", property: "items[0].name" }],
  ["escape in a name", oneItem({ name: "\u001b[31mTea" }), { code: "2806", property: "items[0].name" }],
  ["line separator in a name", oneItem({ name: "Tea\u2028" }), { code: "2806", property: "items[0].name" }],
  ["lone surrogate in a name", oneItem({ name: "Tea\ud800" }), { code: "2806", property: "items[0].name" }],
  ["text turned around in a name", oneItem({ name: "Tea\u202e1.00" }), { code: "2806", property: "items[0].name" }],
  ["an isolate in a cashier", sale({ cashier: "Ana\u2067" }), { code: "2806", property: "cashier" }],
  [
    "a name of invisible characters",
    oneItem({ name: " \u00ad\u200b\u3164\u2800" }),
    { code: "2806", property: "items[0].name" },
  ],
  ["an empty object of PHP", sale({ options: [] }), { code: "2806", property: "options" }],
  ["a list of PHP with keys", sale({ items: { 1: ITEM } }), { code: "2806", property: "items" }],
  ["long GTIN", oneItem({ gtin: "123456789012345" }), { code: "2801", property: "items[0].gtin" }],
  ["amount as NaN-like text", oneItem({ totalAmount: "NaN" }), { code: "2806", property: "items[0].totalAmount" }],
  ["quantity of 12 digits", oneItem({ quantity: 100_000_000_000 }), { code: "2804", property: "items[0].quantity" }],
  ["quantity below 0.001", oneItem({ quantity: 0.0004 }), { code: "2804", property: "items[0].quantity" }],
  ["negative quantity", oneItem({ quantity: -1 }), { code: "2804", property: "items[0].quantity" }],
  ["a date as a number", sale({ dateAndTimeOfIssue: 1_700_000_000 }), { code: "2806", property: "dateAndTimeOfIssue" }],
  [
    "a reference of another form",
    sale({ transactionType: "Refund", referentDocumentNumber: "12" }),
    { code: "2806", property: "referentDocumentNumber" },
  ],
  [
    "a total too large for the card",
    sale({ items: Array.from({ length: 8 }, () => ({ ...ITEM, totalAmount: 999_999_999_999.99 })) }),
    { code: "2804", property: "items" },
  ],
])("a wrong field is named with its code: %s", async (_what, body, ...expected) => {
  const { sell } = await openRefusingTill();
  expectRecord(await sell(body), 400, ...expected);
});

it.each([
  ["1e308", "2804"],
  ["1e-3", "2806"],
  ["1e999999999999", "2804"],
  ["9".repeat(100_000), "2804"],
  [`0.${"1".repeat(100_000)}`, "2806"],
  [`1.111${"0".repeat(60_000)}1`, "2806"],
  ["-0.01", "2804"],
])("a wrong field is named with its code: an amount of %.20s", async (number, code) => {
  const { call } = await openRefusingTill();
  const answer = await call("POST", "/api/v3/invoices", {
    headers: JSON_HEADERS,
    body: rawItem("unitPrice", number),
  });
  expectRecord(answer, 400, { code, property: "items[0].unitPrice" });
});

it.each([
  [
    oneItem({ unitPrice: 3.3333333333333335 }),
    "items[0].unitPrice is 3.3333333333333335: round to 2 decimals before sending",
  ],
  [oneItem({ totalAmount: 1.1 * 1.15 }), "items[0].totalAmount is 1.265: round to 2 decimals before sending"],
  [oneItem({ quantity: 1.0004 }), "items[0].quantity is 1.0004: round to 3 decimals before sending"],
  [sale({ options: [] }), "options must be an object; PHP sends an empty array as []: leave the field out"],
  [sale({ payment: ITEM }), "payment must be a list; PHP sends a list with keys as an object: use array_values()"],
  [oneItem({ name: "\u200b" }), "items[0].name needs a visible character"],
  [sale({ buyerId: "Купац" }), "buyerId must be printable ASCII: the card takes ASCII"],
])("a wrong field is explained with its value and the remedy: %#", async (body, details) => {
  const { sell } = await openRefusingTill();
  expect((await sell(body)).json<{ details: string }>().details).toBe(details);
});

it.each([
  ["28.11.2025", "2025-11-28T00:00:00"],
  ["28/11/2025 9:30", "2025-11-28T09:30:00"],
  ["2025-11-28", "2025-11-28T00:00:00"],
  ["2025-02-30T10:00:00Z", "2026-01-31T12:00:00"],
  ["yesterday", "2026-01-31T12:00:00"],
])("a wrong time is refused with a right one: %s becomes %s", async (dateAndTimeOfIssue, right) => {
  const { sell } = await openRefusingTill();
  const details = `dateAndTimeOfIssue must be a time that exists, such as ${right}`;
  expect((await sell(sale({ dateAndTimeOfIssue }))).json()).toMatchObject({ code: "2806", details });
});

it("a wrong field does not hide another one: every wrong field is named in one answer", async () => {
  const { sell } = await openRefusingTill();
  const body = sale({ invoiceType: "Gift", cashier: "x".repeat(51), items: [{ ...ITEM, quantity: 0, name: "" }] });
  const { modelState } = (await sell(body)).json<{ modelState: { property: string }[] }>();
  expect(modelState.map(({ property }) => property).sort()).toEqual(
    ["cashier", "invoiceType", "items[0].name", "items[0].quantity"].sort(),
  );
});
