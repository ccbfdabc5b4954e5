/** Numbers that keep the text they were written with, and the schema keyword that checks them. */
import { decimalParts, fractionDigits, integerDigits } from "../fiscal/money.js";

/** A JSON number as its original text, and never as a binary floating-point value. */
export class JsonNumber {
  constructor(readonly text: string) {}
}

/** Value of the schema keyword `decimal`. The API description turns this keyword into `type: number`. */
export interface DecimalRule {
  /** Maximum number of digits before the decimal point. */
  readonly integerDigits: number;
  /** Maximum number of digits after the decimal point. */
  readonly fractionDigits: number;
  /** Whether 0 is allowed. */
  readonly zero: boolean;
  /** Whether values below 0 are allowed. */
  readonly negative: boolean;
}

export interface BrokenDecimal {
  readonly kind: "type" | "range" | "format";
  readonly message: string;
}

export function checkDecimal(rule: DecimalRule, data: unknown): BrokenDecimal | undefined {
  const parts = data instanceof JsonNumber ? decimalParts(data.text) : undefined;
  if (!parts) return { kind: "type", message: "must be a number" };
  if (integerDigits(parts) > rule.integerDigits) {
    return { kind: "range", message: `has more than ${rule.integerDigits} digits before the decimal point` };
  }
  if (parts.negative && !rule.negative) return { kind: "range", message: "must not be negative" };
  if (parts.digits === "" && !rule.zero) {
    return { kind: "range", message: `must be at least ${(10 ** -rule.fractionDigits).toFixed(rule.fractionDigits)}` };
  }
  if (fractionDigits(parts) > rule.fractionDigits) {
    // A value below the smallest step is too small (`range`), not malformed (`format`).
    const tooSmall = !rule.zero && -parts.exponent - parts.digits.length >= rule.fractionDigits;
    return { kind: tooSmall ? "range" : "format", message: `has more than ${rule.fractionDigits} decimals` };
  }
  return undefined;
}
