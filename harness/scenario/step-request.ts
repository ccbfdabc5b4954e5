/** Makes the HTTP request of a step, with the exact bytes of its body. */
import type { HttpRequest } from "./http-call.js";
import type { RequestStep } from "./scenario.js";

/** A valid sale, the default of `invoice`. It asks for no QR code, which takes more time than the rest. */
export const SAMPLE_SALE = {
  cashier: "Ana",
  invoiceType: "Normal",
  transactionType: "Sale",
  payment: [{ amount: 100, paymentType: "Cash" }],
  options: { omitQRCodeGen: "1", omitTextualRepresentation: "0" },
  items: [{ name: "Coffee", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 }],
};

const JSON_HEADERS = { Accept: "application/json", "Content-Type": "application/json" };

export function httpRequestOf({
  method = "POST",
  path = "/api/v3/invoices",
  headers = {},
  online: _,
  ...body
}: RequestStep["request"]): HttpRequest {
  const json = repeated("invoice" in body ? { ...SAMPLE_SALE, ...body.invoice } : body.json);
  if (json !== undefined) {
    return { method, path, headers: { ...JSON_HEADERS, ...headers }, body: Buffer.from(JSON.stringify(json)) };
  }
  if (body.text !== undefined) return { method, path, headers, body: Buffer.from(body.text) };
  if (body.bytes !== undefined) return { method, path, headers, body: Buffer.from(body.bytes, "hex") };
  return { method, path, headers };
}

/** The largest number of entries of a list. The service accepts far fewer entries. */
const MOST = 1_000_000;

/**
 * Returns a copy in which each `{ $repeat: { times: 1001, value: ... } }` is a full list.
 * @throws RangeError if `times` is not a possible length, or if `value` is missing
 */
function repeated(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(repeated);
  if (typeof value !== "object" || value === null) return value;
  if ("$repeat" in value) return listOf(value.$repeat);
  return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, repeated(entry)]));
}

function listOf(repeat: unknown): unknown[] {
  const { times, value } = (repeat ?? {}) as { times?: unknown; value?: unknown };
  if (!Number.isInteger(times) || Number(times) < 0 || Number(times) > MOST || value === undefined) {
    throw new RangeError(`$repeat needs a value and times, a number from 0 to ${MOST}`);
  }
  return new Array(Number(times)).fill(repeated(value));
}
