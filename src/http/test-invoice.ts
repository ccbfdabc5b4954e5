/** Makes the body of a test invoice: a Training Sale with one sample item for each valid label. */
import type { EpochMs } from "../base/epoch-ms.js";
import type { FiscalEnvironment } from "../fiscal/environment.js";
import { labelsOf, rateGroupAt } from "../fiscal/tax.js";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { noRatesNow } from "../fiscalizer/gates.js";
import { isObject, JsonNumber } from "../schema/decimal.js";

const SAMPLE_PRICE = "100.00";

/** @param body replaces fields of the sample, but not the two types @throws FiscalError 2806; 2400 without rates */
export function testInvoiceBody(body: unknown, { taxRates }: FiscalEnvironment, now: EpochMs): Record<string, unknown> {
  const current = rateGroupAt(taxRates, now);
  if (!current) throw noRatesNow();
  const labels = [...labelsOf(current).keys()];
  const price = new JsonNumber(SAMPLE_PRICE);
  const sample: Record<string, unknown> = {
    cashier: "Test",
    items: labels.map((label) => ({
      name: `Test item ${label}`,
      quantity: new JsonNumber("1"),
      unitPrice: price,
      totalAmount: price,
      labels: [label],
    })),
    payment: [{ amount: new JsonNumber(`${labels.length * 100}.00`), paymentType: "Cash" }],
  };
  if (body !== undefined && !isObject(body)) {
    throw FiscalError.of("2806", "body", "The body of a test invoice must be empty or an object");
  }
  const types = new Set(["invoicetype", "transactiontype"]);
  const given = Object.entries(body ?? {}).filter(([name, value]) => !types.has(name.toLowerCase()) && value !== null);
  for (const [name] of given) {
    const replaced = Object.keys(sample).find((key) => key.toLowerCase() === name.toLowerCase());
    if (replaced) delete sample[replaced];
  }
  return { ...sample, ...Object.fromEntries(given), invoiceType: "Training", transactionType: "Sale" };
}
