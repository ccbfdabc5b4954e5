/** Makes an invoice of a parsed body: normalises it, checks all its fields at once, and makes every number exact. */
import type { ErrorObject } from "ajv";
import { pathText } from "../base/wrong-value.js";
import type { ErrorCode } from "../fiscal/codes.js";
import type { Invoice } from "../fiscal/invoice.js";
import { parseRounded } from "../fiscal/money.js";
import { type PosTime, TIME_RANGE } from "../fiscal/pos-time.js";
import { readPosTime, rewrittenTime } from "../fiscal/time.js";
import { FiscalError, type Sentence, type Violation } from "../fiscalizer/fiscal-error.js";
import { isObject, type JsonNumber } from "../schema/decimal.js";
import { compileSchema, pathOf, type Validator } from "../schema/validator.js";
import { ASCII, BLANK, invoiceSchema, MONEY_DECIMALS, QUANTITY_DECIMALS } from "./invoice-schema.js";
import { LIMITS } from "./limits.js";
import { normaliseInvoice } from "./normalise-invoice.js";
import { otherBody } from "./other-body.js";

/** The type of a checked value: its numbers are still digits, and its times are still text. */
type Checked<T> = T extends bigint
  ? JsonNumber
  : T extends number
    ? string
    : T extends readonly (infer E)[]
      ? readonly Checked<E>[]
      : T extends object
        ? { readonly [K in keyof T]: Checked<T[K]> }
        : T;

/** An {@link Invoice} that has passed the schema, but whose numbers and times are not converted yet. */
type CheckedInvoice = Checked<Omit<Invoice, "options">> & { readonly options?: Partial<Invoice["options"]> };

export type InvoiceReader = (body: unknown) => Invoice;

/** A body with too many values is refused before it is parsed. */
const ANY_VALUES = Number.POSITIVE_INFINITY;
const withNegativeItems = compileSchema<CheckedInvoice>(invoiceSchema({ negativeItems: true }), ANY_VALUES);
const withoutNegativeItems = compileSchema<CheckedInvoice>(invoiceSchema({ negativeItems: false }), ANY_VALUES);

/** @returns a function that throws FiscalError with every violation of a body */
export function invoiceReader({ negativeItems }: { negativeItems: boolean }): InvoiceReader {
  const validate: Validator<CheckedInvoice> = negativeItems ? withNegativeItems : withoutNegativeItems;
  return (body) => {
    const normalised = normaliseInvoice(body);
    refuseEndless(normalised);
    if (validate(normalised)) return toInvoice(normalised);
    const other = otherBody(body);
    if (other) throw new FiscalError([other]);
    const [first, ...rest] = violationsOf(validate.errors ?? []);
    throw first ? new FiscalError([first, ...rest]) : FiscalError.of("2806", "body");
  };
}

const LABEL = /\.labels\[\d+\]$/;

/** Refuses lists with too many entries before their entries are read. @throws FiscalError 2808 */
function refuseEndless(invoice: unknown): void {
  for (const [name, value] of Object.entries((invoice as object | null) ?? {})) {
    if (Array.isArray(value) && value.length > LIMITS.entries.value) {
      const message = "{property} has {count} entries, at most {most} are allowed";
      const values = { property: name, count: value.length, most: LIMITS.entries.value };
      throw FiscalError.of("2808", name, message, values);
    }
  }
}

function violationsOf(errors: readonly ErrorObject[]): Violation[] {
  const violations = new Map<string, Violation>();
  for (const error of errors) {
    if (violations.size === LIMITS.violations.value) break;
    if (error.keyword === "if") continue;
    const property = pathText(pathOf(error));
    // A malformed label is also an unknown label (docs/interface.md, "Errors", rule 1).
    const unknownLabel = LABEL.test(property) && typeof error.data === "string";
    const code = unknownLabel ? "2310" : codeOf(error);
    const { message, values } = sentenceOf(error);
    violations.set(`${property} ${code}`, {
      property: property || "body",
      code,
      message: `{property} ${message}`,
      values: { ...values, property: property || THE_BODY },
    });
  }
  return [...violations.values()];
}

const VISIBLE = new RegExp(`[^${BLANK}]`, "u");
const THE_BODY = { message: "The body" };

/** Says what is wrong with a property: what follows after its name. */
function sentenceOf(error: ErrorObject): Sentence {
  const { keyword, data, message = "is wrong" } = error;
  const params = error.params as { allowedValues: string[]; pattern: string; limit: number; type: string } & Sentence;
  switch (keyword) {
    case "required":
      return { message: "is required" };
    case "type":
      if (Array.isArray(data)) {
        return { message: "must be an object; PHP sends an empty array as []: leave the field out" };
      }
      if (isObject(data)) {
        return { message: "must be a list; PHP sends a list with keys as an object: use array_values()" };
      }
      return { message: "must be {type}", values: { type: { message: params.type } } };
    case "enum":
      return { message: "must be one of {allowed}", values: { allowed: params.allowedValues.join(", ") } };
    case "pattern": {
      if (params.pattern === ASCII) return { message: "must be printable ASCII: the card takes ASCII" };
      const isBlank = !VISIBLE.test(String(data));
      return { message: isBlank ? "needs a visible character" : "has characters or a form that is not allowed" };
    }
    case "format": {
      if (isTime(error)) return TIME_RANGE;
      const example = rewrittenTime(String(data)) ?? "2026-01-31T12:00:00";
      return { message: "must be a time that exists, such as {example}", values: { example } };
    }
    case "decimal":
      return { message, values: params.values };
    default:
      return { message: message.replace(String(params.limit), "{limit}"), values: { limit: params.limit } };
  }
}

/** Whether a refused time is a time, but not in the allowed range. */
function isTime({ data }: ErrorObject): boolean {
  return readPosTime(String(data)) !== undefined;
}

const CODES: Readonly<Record<string, ErrorCode>> = {
  required: "2800",
  maxLength: "2801",
  minLength: "2802",
  enum: "2805",
  minItems: "2807",
  maxItems: "2808",
};

function codeOf(error: ErrorObject): ErrorCode {
  if (error.keyword === "decimal") {
    return (error.params as { broken: string }).broken === "range" ? "2804" : "2806";
  }
  if (error.keyword === "format" && isTime(error)) return "2804";
  return CODES[error.keyword] ?? "2806";
}

function toInvoice(checked: CheckedInvoice): Invoice {
  const { dateAndTimeOfIssue, referentDocumentDT, payment, items, options, ...rest } = checked;
  // Put fields before a spread: after a spread, V8 gives each object a shape that no other has, and optimises nothing.
  return {
    payment: payment.map(({ amount, paymentType }) => ({
      amount: parseRounded(amount.text, MONEY_DECIMALS),
      paymentType,
    })),
    items: items.map(({ quantity, unitPrice, totalAmount, labels, ...item }) => ({
      labels: [...new Set(labels)],
      quantity: parseRounded(quantity.text, QUANTITY_DECIMALS),
      unitPrice: parseRounded(unitPrice.text, MONEY_DECIMALS),
      totalAmount: parseRounded(totalAmount.text, MONEY_DECIMALS),
      ...item,
    })),
    options: {
      omitQRCodeGen: options?.omitQRCodeGen ?? false,
      omitTextualRepresentation: options?.omitTextualRepresentation ?? false,
    },
    ...rest,
    ...timeField("dateAndTimeOfIssue", dateAndTimeOfIssue),
    ...timeField("referentDocumentDT", referentDocumentDT),
  };
}

function timeField<K extends string>(name: K, text: string | undefined): { [P in K]?: PosTime } {
  const time = text === undefined ? undefined : readPosTime(text);
  return (time === undefined ? {} : { [name]: time }) as { [P in K]?: PosTime };
}
