/** Numbers that keep the text they were written with, and the schema keyword that checks them. */
import { decimalParts, fractionDigits, integerDigits, withoutTail } from "../fiscal/money.js";

/** A JSON number as its original text, and never as a binary floating-point value. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

/** Whether a parsed value is a JSON object. An exact number is an object too, but none of JSON. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber);
}

/** Value of the schema keyword `decimal`. The API description turns this keyword into `type: number`. */
export interface DecimalRule {
  /** Maximum number of digits before the decimal point. */
  readonly integerDigits: number;
  /** Maximum number of digits after the decimal point, tails of binary numbers aside; any number of digits without it. */
  readonly fractionDigits?: number;
  readonly zero: boolean;
  readonly negative: boolean;
}

interface BrokenDecimal {
  readonly kind: "type" | "range" | "format";
  /** With a place such as `{least}` for each of the values. */
  readonly message: string;
  readonly values?: Readonly<Record<string, string | number>>;
}

export function checkDecimal(rule: DecimalRule, data: unknown): BrokenDecimal | undefined {
  const text = data instanceof JsonNumber ? data.text : "";
  const sent = decimalParts(text);
  if (!sent) return { kind: "type", message: "must be a number" };
  const decimals = rule.fractionDigits ?? Number.POSITIVE_INFINITY;
  const parts = withoutTail(sent, decimals);
  if (integerDigits(parts) > rule.integerDigits) {
    const values = { digits: rule.integerDigits };
    return { kind: "range", message: "has more than {digits} digits before the decimal point", values };
  }
  if (parts.negative && !rule.negative) return { kind: "range", message: "must not be negative" };
  // A value below the smallest step is too small (`range`), not malformed (`format`).
  if (!rule.zero && (parts.digits === "" || -parts.exponent - parts.digits.length >= decimals)) {
    const values = { least: (10 ** -decimals).toFixed(decimals) };
    return { kind: "range", message: "must be at least {least}", values };
  }
  if (fractionDigits(parts) > decimals) {
    const values = { sent: shortened(text), decimals };
    return { kind: "format", message: "is {sent}: round to {decimals} decimals before sending", values };
  }
  return undefined;
}

const shortened = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
