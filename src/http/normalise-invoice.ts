/**
 * What clients really send, brought to one form (protocol facts, section 4, "Invoice request"): property
 * and enumeration names in any case, enumerations as numbers, flags in six spellings, null and "" for absent.
 * What cannot be understood is left as it came, for the schema to refuse.
 */
import { INVOICE_TYPES, PAYMENT_TYPES, TRANSACTION_TYPES } from "../fiscal/invoice.js";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { JsonNumber } from "../schema/decimal.js";

type Normalise = (value: unknown, property: string) => unknown;

interface Field {
  readonly name: string;
  readonly optional: boolean;
  readonly normalise: Normalise;
}

const keep: Normalise = (value) => value;
const required = (name: string, normalise = keep): Field => ({ name, optional: false, normalise });
const optional = (name: string, normalise = keep): Field => ({ name, optional: true, normalise });

/** `wire transfer`, `WireTransfer`, `4` and 4 are one. */
function enumeration(values: Readonly<Record<string, number>>): Normalise {
  const names = new Map<string, string>();
  for (const [name, number] of Object.entries(values)) {
    names.set(name.toLowerCase(), name);
    names.set(String(number), name);
  }
  return (value) => {
    const text = value instanceof JsonNumber ? value.text : value;
    return typeof text === "string" ? (names.get(text.replaceAll(/\s/g, "").toLowerCase()) ?? value) : value;
  };
}

const flag: Normalise = (value) => {
  const text =
    value instanceof JsonNumber ? value.text : typeof value === "string" ? value.trim().toLowerCase() : value;
  if (text === "1" || text === "true") return true;
  if (text === "0" || text === "false") return false;
  return value;
};

const list =
  (normalise: Normalise): Normalise =>
  (value, property) =>
    Array.isArray(value) ? value.map((entry, i) => normalise(entry, `${property}[${i}]`)) : value;

const label: Normalise = (value) => (typeof value === "string" ? value.trim().toUpperCase() : value);

function object(fields: readonly Field[]): Normalise {
  const byName = new Map(fields.map((field) => [field.name.toLowerCase(), field]));
  return (value, property) => {
    // A number is an object here; as a plain number the schema refuses it where an object belongs.
    if (value instanceof JsonNumber) return Number(value.text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const result: Record<string, unknown> = {};
    const seen = new Set<string>();
    for (const [key, entry] of Object.entries(value)) {
      const field = byName.get(key.toLowerCase());
      if (!field) continue;
      const path = property === "" ? field.name : `${property}.${field.name}`;
      if (seen.has(field.name)) throw FiscalError.of("2805", path, `${path} stands twice, in different spelling`);
      seen.add(field.name);
      if (entry === null || (entry === "" && field.optional)) continue;
      result[field.name] = field.normalise(entry, path);
    }
    return result;
  };
}

const ITEM = object([
  optional("gtin"),
  required("name"),
  required("quantity"),
  required("unitPrice"),
  required("labels", list(label)),
  required("totalAmount"),
]);

const PAYMENT = object([required("amount"), required("paymentType", enumeration(PAYMENT_TYPES))]);

const OPTIONS = object([optional("omitQRCodeGen", flag), optional("omitTextualRepresentation", flag)]);

const INVOICE = object([
  optional("dateAndTimeOfIssue"),
  optional("cashier"),
  optional("buyerId"),
  optional("buyerCostCenterId"),
  required("invoiceType", enumeration(INVOICE_TYPES)),
  required("transactionType", enumeration(TRANSACTION_TYPES)),
  required("payment", list(PAYMENT)),
  optional("invoiceNumber"),
  optional("referentDocumentNumber"),
  optional("referentDocumentDT"),
  optional("options", OPTIONS),
  required("items", list(ITEM)),
]);

/** @throws FiscalError 2805 where a property stands twice in different spelling */
export function normaliseInvoice(body: unknown): unknown {
  return INVOICE(body, "");
}
