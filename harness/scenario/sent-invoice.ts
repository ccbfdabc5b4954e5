/** Reads invoices in the interface's own spelling: "normal", 0 and "Normal" are the same type. */
import { parseJson } from "../../src/http/body.js";
import { normaliseInvoice } from "../../src/http/normalise-invoice.js";
import { JsonNumber } from "../../src/schema/decimal.js";

/**
 * Reads an invoice from the text of a body. The result has no fields that are null or empty; its amounts are numbers.
 * @throws FiscalError if the text is not JSON, or has a property twice in different spelling
 */
export function sentInvoice(text: string): unknown {
  return plainNumbers(normaliseInvoice(parseJson(text)));
}

function plainNumbers(value: unknown): unknown {
  if (value instanceof JsonNumber) return Number(value.text);
  if (Array.isArray(value)) return value.map(plainNumbers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, plainNumbers(entry)]));
}
