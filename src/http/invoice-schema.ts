/**
 * ajv checks a normalised invoice by this schema (docs/interface.md, "Resources"; protocol facts, section 4).
 * The normalisation, the API description and the mask of the traffic log are derived from this schema. The compiler
 * compares its names with those of {@link Invoice}.
 */
import {
  INVOICE_TYPES,
  type Invoice,
  type InvoiceItem,
  PAYMENT_TYPES,
  type Payment,
  TRANSACTION_TYPES,
} from "../fiscal/invoice.js";
import { UNPRINTABLE } from "../fiscal/journal/on-paper.js";
import type { DecimalRule } from "../schema/decimal.js";

/** Characters without ink, in a class of a pattern: also the Braille pattern without dots. */
export const BLANK = "\\p{Z}\\p{C}\\p{DI}\\u2800";
const PRINTABLE = `^[^${UNPRINTABLE}]*$`;
/** Needs a visible character. Allows tabs, because some POS align columns with tabs in item names. */
const ITEM_NAME = `^(?:(?=.*[^${BLANK}])(?:\\t|[^${UNPRINTABLE}])+)?$`;
/** Allows printable ASCII only, because the card has room for 20 bytes of ASCII (protocol facts, section 2). */
export const ASCII = "^[\\x20-\\x7e]*$";

/** The part of JSON Schema that {@link invoiceSchema} uses for a field. */
export interface InvoiceField {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly decimal?: DecimalRule;
  readonly format?: string;
  readonly description?: string;
  readonly items?: InvoiceField;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, InvoiceField>>;
}

/** The fields that are enumerations. Each value of such a field has a number. */
export const INVOICE_ENUMERATIONS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  invoiceType: INVOICE_TYPES,
  transactionType: TRANSACTION_TYPES,
  paymentType: PAYMENT_TYPES,
};

const text = (maxLength: number, description: string) => ({
  type: "string",
  minLength: 1,
  maxLength,
  pattern: PRINTABLE,
  description,
});
const time = (description: string) => ({ type: "string", format: "pos-time", description });
const oneOf = (values: object, description: string) => ({ enum: Object.keys(values), description });

export const MONEY_DECIMALS = 2;
export const QUANTITY_DECIMALS = 3;

/** The rule of an amount of money: at most 14 digits, 2 of them decimals. */
const money = (negative: boolean): DecimalRule => ({
  integerDigits: 12,
  fractionDigits: MONEY_DECIMALS,
  zero: true,
  negative,
});

export function invoiceSchema({ negativeItems }: { negativeItems: boolean }) {
  const item = {
    type: "object",
    required: ["name", "quantity", "unitPrice", "labels", "totalAmount"],
    properties: {
      gtin: { type: "string", minLength: 8, maxLength: 14, pattern: PRINTABLE, description: "GTIN" },
      name: { ...text(2048, "item name"), pattern: ITEM_NAME },
      quantity: {
        decimal: { integerDigits: 11, fractionDigits: QUANTITY_DECIMALS, zero: false, negative: false },
        description: "quantity, 0.001 and more",
      },
      unitPrice: { decimal: money(negativeItems), description: "price per unit, tax included" },
      labels: {
        type: "array",
        minItems: 1,
        items: { type: "string", minLength: 1, maxLength: 8, pattern: PRINTABLE },
        description: "tax labels, of those in currentTaxRates",
      },
      totalAmount: { decimal: money(negativeItems), description: "total for the line, tax included" },
    } satisfies Record<keyof InvoiceItem, object>,
  };
  return {
    type: "object",
    required: ["invoiceType", "transactionType", "payment", "items"],
    properties: {
      dateAndTimeOfIssue: time(
        "local time of the invoice on the till's clock; its digits are printed, only if it is sent",
      ),
      cashier: text(50, "identifier of the cashier"),
      buyerId: { type: "string", minLength: 1, maxLength: 20, pattern: ASCII, description: "buyer identifier" },
      buyerCostCenterId: text(50, "buyer cost centre identifier, or the purpose of the invoice"),
      invoiceType: oneOf(INVOICE_TYPES, "type of invoice"),
      transactionType: oneOf(TRANSACTION_TYPES, "sale or refund"),
      payment: {
        type: "array",
        description: "payments; their sum need not equal the total",
        items: {
          type: "object",
          required: ["amount", "paymentType"],
          properties: {
            // Many POS add up payments as binary numbers (protocol facts, section 4).
            amount: {
              decimal: { integerDigits: 12, zero: true, negative: false },
              description: "amount paid; rounded half up to 4 decimals, and printed with 2",
            },
            paymentType: oneOf(PAYMENT_TYPES, "means of payment"),
          } satisfies Record<keyof Payment, object>,
        },
      },
      invoiceNumber: text(60, "invoice number assigned by the caller"),
      referentDocumentNumber: {
        ...text(50, "number of the invoice that a Copy or Refund refers to"),
        pattern: "^[0-9A-Za-z]{8}-[0-9A-Za-z]{8}-\\d{1,10}$",
      },
      referentDocumentDT: time(
        "local time of the invoice that is referred to, as printed on it; chooses the tax rates",
      ),
      options: {
        type: "object",
        description: "what to leave out of the answer",
        properties: {
          omitQRCodeGen: { type: "boolean", description: "no QR code in the answer" },
          omitTextualRepresentation: { type: "boolean", description: "no journal in the answer" },
        } satisfies Record<keyof Invoice["options"], object>,
      },
      items: { type: "array", minItems: 1, items: item, description: "items" },
    } satisfies Record<keyof Invoice, object>,
    // A Copy or a Refund must name its original (protocol facts, section 4).
    if: {
      anyOf: [
        { properties: { invoiceType: { const: "Copy" } }, required: ["invoiceType"] },
        { properties: { transactionType: { const: "Refund" } }, required: ["transactionType"] },
      ],
    },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ["referentDocumentNumber"] },
  };
}
