/**
 * Normalises what clients send (protocol facts, section 4, "Invoice request"): property and enumeration names in any
 * case, enumerations as numbers, texts as numbers, flags in six spellings, null, "" and `false` for absent fields.
 * Unknown values stay unchanged, and the schema refuses them.
 */
import { readPosTime } from "../fiscal/time.js";
import { FiscalError } from "../fiscalizer/fiscal-error.js";
import { isObject, JsonNumber } from "../schema/decimal.js";
import { INVOICE_ENUMERATIONS, type InvoiceField, invoiceSchema } from "./invoice-schema.js";

type Normalise = (value: unknown, property: string) => unknown;

const keep: Normalise = (value) => value;

/** A number in a text field is its text: .NET services read `"invoiceNumber": 72726` as "72726". */
const text: Normalise = (value) => (value instanceof JsonNumber ? value.text : value);

/** Replaces a value of an enumeration by its name: `wire transfer`, `WireTransfer`, `4` and 4 mean the same. */
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

const label: Normalise = (value, property) => {
  const written = text(value, property);
  return typeof written === "string" ? written.trim().toUpperCase() : written;
};

function object(properties: Readonly<Record<string, InvoiceField>>, required: readonly string[] = []): Normalise {
  const byName = new Map(
    Object.entries(properties).map(([name, field]) => {
      const optional = !required.includes(name);
      // Odoo sends `false` for an empty text.
      const absent: readonly unknown[] = optional ? (field.type === "string" ? [null, "", false] : [null, ""]) : [null];
      return [name.toLowerCase(), { name, absent, normalise: normaliserOf(name, field) }] as const;
    }),
  );
  return (value, property) => {
    // An exact number is an object here. Make it a plain number, so that the schema does not accept it as an object.
    if (value instanceof JsonNumber) return Number(value.text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const result: Record<string, unknown> = {};
    const seen = new Set<string>();
    for (const [key, entry] of Object.entries(value)) {
      const field = byName.get(key.toLowerCase());
      if (!field) continue;
      const path = property === "" ? field.name : `${property}.${field.name}`;
      if (seen.has(field.name)) {
        throw FiscalError.of("2805", path, "{property} occurs twice, in different spelling", { property: path });
      }
      seen.add(field.name);
      if (field.absent.includes(entry)) continue;
      result[field.name] = field.normalise(entry, path);
    }
    return result;
  };
}

function normaliserOf(name: string, field: InvoiceField): Normalise {
  if (field.properties) return object(field.properties, field.required);
  if (field.items) return list(normaliserOf(name, field.items));
  if (field.enum) return enumeration(INVOICE_ENUMERATIONS[name] ?? {});
  if (field.type === "boolean") return flag;
  if (name === "labels") return label;
  return field.type === "string" ? text : keep;
}

/** The normaliser allows negative amounts. The schema that checks the invoice decides whether they are valid. */
const INVOICE = normaliserOf("", invoiceSchema({ negativeItems: true }));

/**
 * Normalises a parsed body. Leaves out a referentDocumentDT that is neither printed nor chooses rates: a .NET program
 * sends the year 1 for a time that was not set.
 * @throws FiscalError 2805 if a property occurs twice in different spelling
 */
export function normaliseInvoice(body: unknown): unknown {
  const invoice = INVOICE(body, "");
  if (!isObject(invoice) || typeof invoice.referentDocumentDT !== "string") return invoice;
  const { invoiceType, transactionType, referentDocumentNumber, referentDocumentDT } = invoice;
  const refers = invoiceType === "Copy" || transactionType === "Refund" || referentDocumentNumber !== undefined;
  return refers || readPosTime(referentDocumentDT) === undefined
    ? invoice
    : { ...invoice, referentDocumentDT: undefined };
}
