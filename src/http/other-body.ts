/** Recognises an invoice in the form of another interface, so that one sentence can name the mistake. */
import type { Violation } from "../fiscalizer/fiscal-error.js";
import { isObject } from "../schema/decimal.js";

/** Required fields of an invoice, in small letters. */
const REQUIRED = ["invoicetype", "transactiontype", "payment", "items"];
/** Number of objects around an invoice that we look into. */
const MOST_WRAPPERS = 2;
/** A name that a message may repeat. */
const SHOWN = /^\w{1,40}$/;

/** @param body a parsed body that is not a valid invoice @returns undefined for an invoice with other mistakes */
export function otherBody(body: unknown): Violation | undefined {
  return isObject(body) ? otherIn(body, [], MOST_WRAPPERS) : undefined;
}

function otherIn(
  fields: Readonly<Record<string, unknown>>,
  wrappers: readonly string[],
  deeper: number,
): Violation | undefined {
  const names = new Set(Object.keys(fields).map((name) => name.toLowerCase()));
  if (isVersion2(names)) {
    const message =
      "The invoice has the form of version 2 of the interface (IT, TT, PaymentType): send version 3, with invoiceType, transactionType and payment";
    return { code: "2800", property: [...wrappers, "invoiceType"].join("."), message };
  }
  const isInvoice = REQUIRED.filter((name) => names.has(name)).length > 1;
  if (isInvoice) return wrappers.length === 0 ? undefined : wrappedIn(wrappers);
  for (const [name, value] of deeper > 0 ? Object.entries(fields) : []) {
    const inside = isObject(value) && SHOWN.test(name) && otherIn(value, [...wrappers, name], deeper - 1);
    if (inside) return inside;
  }
  return wrappers.at(-1)?.toLowerCase() === "invoicerequest" ? wrappedIn(wrappers) : undefined;
}

function isVersion2(names: ReadonlySet<string>): boolean {
  if (names.has("invoicetype") || names.has("transactiontype")) return false;
  return names.has("it") || names.has("tt") || (names.has("paymenttype") && !names.has("amount"));
}

function wrappedIn(wrappers: readonly string[]): Violation {
  const property = wrappers.join(".");
  const message = "The invoice is inside {property}: post its content alone, as the body";
  return { code: "2800", property, message, values: { property } };
}
