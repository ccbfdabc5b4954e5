/** Invoices in the form of another interface: one sentence names the mistake. */
import { expect, it } from "vitest";
import { FiscalError, spelled } from "../../src/fiscalizer/fiscal-error.js";
import { invoiceReader } from "../../src/http/read-invoice.js";
import { sale } from "../support/sale.js";

function violations(body: object) {
  try {
    invoiceReader({ negativeItems: false })(body);
  } catch (error) {
    if (error instanceof FiscalError)
      return error.violations.map((one) => ({ code: one.code, property: one.property, message: spelled(one) }));
    throw error;
  }
  return [];
}

const inside = (property: string) => [
  { code: "2800", property, message: `The invoice is inside ${property}: post its content alone, as the body` },
];

it.each<[string, object, string]>([
  ["the devices of Republika Srpska", { invoiceRequest: sale(), print: true }, "invoiceRequest"],
  ["another spelling", { InvoiceRequest: sale() }, "InvoiceRequest"],
  ["a wrapper in a wrapper", { data: { invoiceRequest: sale() } }, "data.invoiceRequest"],
  ["the same wrapper twice", { invoiceRequest: { invoiceRequest: sale() } }, "invoiceRequest.invoiceRequest"],
  ["a wrapper of any name", { receipt: sale() }, "receipt"],
  ["an invoice that is wrong, too", { invoiceRequest: { invoiceType: "Normal" } }, "invoiceRequest"],
  ["a wrapper without an invoice", { invoiceRequest: {} }, "invoiceRequest"],
])("a body of another interface is recognised: %s", (_, body, property) => {
  expect(violations(body)).toEqual(inside(property));
});

it.each<[string, object, string]>([
  ["version 2", { IT: 0, TT: 0, PaymentType: 1, Items: [{ Name: "Tea" }] }, "invoiceType"],
  ["with one of its fields", { tt: "Sale" }, "invoiceType"],
  ["with its payment", { PaymentType: "Cash", Items: [] }, "invoiceType"],
  ["in a wrapper", { invoiceRequest: { IT: 0, TT: 0 } }, "invoiceRequest.invoiceType"],
])("a body of another interface is recognised as version 2: %s", (_, body, property) => {
  const [first, ...rest] = violations(body);
  expect(first).toMatchObject({ code: "2800", property });
  expect(first?.message).toContain("version 2 of the interface (IT, TT, PaymentType)");
  expect(rest).toEqual([]);
});

it.each<[string, object]>([
  ["nothing", {}],
  [
    "an invoice without its types and an unknown object",
    { ...sale({ invoiceType: null }), meta: { items: [], payment: [] } },
  ],
  ["an invoice of version 3 with a field IT", { ...sale({ items: [] }), IT: 0 }],
  ["three wrappers", { a: { b: { c: sale() } } }],
  ["a name that no message should repeat", { [`<b>${"x".repeat(50)}`]: sale() }],
])("a body of another interface is nothing but wrong: %s", (_, body) => {
  const messages = violations(body).map(({ message }) => message);
  expect(messages.length).toBeGreaterThan(0);
  expect(messages.join()).not.toMatch(/inside|version 2/);
});
