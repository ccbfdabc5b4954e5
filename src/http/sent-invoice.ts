/**
 * Describes the invoice as a POS may send it, for the API description. This is the schema that checks an invoice, with
 * every spelling that normaliseInvoice accepts. Words describe that the case of names does not matter, because JSON
 * Schema cannot express that.
 */
import type { DecimalRule } from "../schema/decimal.js";
import type { JsonSchema } from "../schema/validator.js";
import { INVOICE_ENUMERATIONS, type InvoiceField, invoiceSchema } from "./invoice-schema.js";
import { LIMITS } from "./limits.js";

const SPELLINGS =
  "Names of fields and of enumerations may be in any case. Unknown fields are ignored. A number in a text field is its " +
  "text. `null`, and an empty text or `false` in an optional text field, mean absent.";

/** The other spelling of a name in the specification, which has two spellings of one name. */
const OTHER_NAMES: Readonly<Record<string, string>> = { WireTransfer: "Wire Transfer" };

/** The spellings of a flag. The specification's form comes first. */
const FLAG = [{ enum: ["0", "1"] }, { type: "boolean" }, { enum: [0, 1, "true", "false"] }];
const ABSENT = { enum: ["", null] };

export function sentInvoiceSchema(settings: { negativeItems: boolean }): JsonSchema {
  const { if: condition, then, ...invoice } = invoiceSchema(settings);
  return {
    ...sent(invoice),
    description: SPELLINGS,
    if: spelled(condition),
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { ...then, properties: Object.fromEntries(then.required.map((name) => [name, { not: ABSENT }])) },
  };
}

function sent({ required = [], properties = {}, ...rest }: InvoiceField): Record<string, unknown> {
  const widened = Object.entries(properties).map(([name, field]) => {
    const form = formOf(name, field);
    const absent = field.type === "string" ? { enum: [...ABSENT.enum, false] } : ABSENT;
    return [name, required.includes(name) ? form : optional(form, absent)] as const;
  });
  return { ...rest, ...(required.length > 0 ? { required } : {}), properties: Object.fromEntries(widened) };
}

function formOf(name: string, field: InvoiceField): Record<string, unknown> {
  const { description = "", decimal, format, items } = field;
  if (field.properties) return sent(field);
  if (items?.properties) return { ...field, maxItems: LIMITS.entries.value, items: sent(items) };
  if (decimal) return numberOf(decimal, description);
  if (field.enum) return { anyOf: enumerationOf(name, field.enum), description };
  if (field.type === "boolean") return { anyOf: FLAG, description };
  if (format === undefined) return { ...field, ...(field.type === "string" ? { type: ["string", "number"] } : {}) };
  return { type: "string", description: `${description}; ISO 8601, or yyyy-MM-dd HH:mm:ss` };
}

function optional(form: Record<string, unknown>, absent: object): Record<string, unknown> {
  const { description, anyOf = [form], ...rest } = form;
  const forms = anyOf === form.anyOf ? (anyOf as object[]) : [rest];
  return { anyOf: [...forms, absent], description };
}

function enumerationOf(name: string, names: readonly string[]): object[] {
  const numbers = Object.values(INVOICE_ENUMERATIONS[name] ?? {});
  return [{ enum: names.flatMap(namesOf) }, { enum: [...numbers, ...numbers.map(String)] }];
}

const namesOf = (name: string): string[] => [name, OTHER_NAMES[name]].filter((text) => text !== undefined);

/** The condition, with every spelling of the value. */
function spelled({ anyOf }: ReturnType<typeof invoiceSchema>["if"]): object {
  const cases = anyOf.map(({ properties, required }) => {
    const values = Object.entries(properties).map(([name, { const: value }]) => {
      const number = INVOICE_ENUMERATIONS[name]?.[value];
      return [name, { enum: [value, number, String(number)] }] as const;
    });
    return { properties: Object.fromEntries(values), required };
  });
  return { anyOf: cases };
}

/** Schema of a number. Words say its decimals: `multipleOf: 0.01` fails for 0.07 in validators with binary numbers. */
function numberOf({ integerDigits, fractionDigits, zero, negative }: DecimalRule, description: string) {
  const end = 10 ** integerDigits;
  const smallest = zero ? 0 : 10 ** -(fractionDigits ?? 0);
  const minimum = negative ? { exclusiveMinimum: -end } : { minimum: smallest };
  return {
    type: "number",
    ...minimum,
    exclusiveMaximum: end,
    description: fractionDigits === undefined ? description : `${description}; at most ${fractionDigits} decimals`,
  };
}
