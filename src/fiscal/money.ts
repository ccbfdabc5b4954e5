/**
 * Exact decimals. Every amount, quantity and rate is an integer scaled by 10,000, as on the card
 * (protocol facts, section 2). No function of this file computes with binary floating-point numbers.
 */

/** An exact decimal number times 10,000. `684600n` is 68.46. */
export type Scaled = bigint;

/** Number of decimal places in a {@link Scaled}. */
const SCALE_DIGITS = 4;
const SCALE = 10_000n;

/** The largest total that fits into the card's 7 bytes (protocol facts, section 2, offset 50). */
export const MAX_CARD_AMOUNT: Scaled = (1n << 56n) - 1n;

/** The parts of a decimal number whose size is not checked yet. The number is ±digits × 10^exponent. */
export interface UncheckedDecimal {
  readonly negative: boolean;
  /** The digits without zeros at the beginning or at the end; "" for the number zero. */
  readonly digits: string;
  readonly exponent: number;
}

const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Splits the text of a JSON number of any size: `1e308` costs no more than `1`. Undefined if it is none. */
export function decimalParts(text: string): UncheckedDecimal | undefined {
  const match = NUMBER.exec(text);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", power = "0"] = match;
  const all = (whole + fraction).replace(/^0+/, "");
  // A regular expression would be slow: in a long run of zeros, it would try to match from each zero.
  let end = all.length;
  while (all[end - 1] === "0") end--;
  const digits = all.slice(0, end);
  if (digits === "") return { negative: false, digits: "", exponent: 0 };
  // Number() turns a huge exponent into ±Infinity. Every later comparison works with ±Infinity too.
  const exponent = Number(power) - fraction.length + (all.length - digits.length);
  return { negative: sign === "-", digits, exponent };
}

/** Returns the number of digits before the decimal point; 0 for a number below 1. */
export function integerDigits(parts: UncheckedDecimal): number {
  return parts.digits === "" ? 0 : Math.max(0, parts.digits.length + parts.exponent);
}

/** Returns the number of digits after the decimal point; 0 for a whole number. */
export function fractionDigits(parts: UncheckedDecimal): number {
  return Math.max(0, -parts.exponent);
}

/**
 * Returns the exact scaled value of a decimal text such as a JSON number.
 * @throws RangeError if the text is not a number, or has more than 4 decimals or more than 15 digits before the point.
 */
export function parseScaled(text: string): Scaled {
  const parts = decimalParts(text);
  if (!parts) throw new RangeError(`not a decimal number: ${text.slice(0, 40)}`);
  if (fractionDigits(parts) > SCALE_DIGITS || integerDigits(parts) > 15) {
    throw new RangeError(`does not fit 15 digits and ${SCALE_DIGITS} decimals: ${text.slice(0, 40)}`);
  }
  if (parts.digits === "") return 0n;
  const value = BigInt(parts.digits) * 10n ** BigInt(parts.exponent + SCALE_DIGITS);
  return parts.negative ? -value : value;
}

/** Number of decimal places with which {@link withoutTail} computes. */
const TAIL_DIGITS = 20;
/** 1e-9, with {@link TAIL_DIGITS} places. */
const SHORTEST_TAIL = 10n ** 11n;
/** From here on, four units in the last place of a double are more than {@link SHORTEST_TAIL}. */
const LONG_TAILS = 2 ** 20;

/**
 * Programs compute with binary numbers, and send 993.4200000000001 for 993.42. Returns the decimal with at most
 * `decimals` places that is within 1e-9, or within four units in the last place of the double; otherwise the number as
 * it is.
 */
export function withoutTail(parts: UncheckedDecimal, decimals: number): UncheckedDecimal {
  const { digits, exponent, negative } = parts;
  if (fractionDigits(parts) <= decimals || integerDigits(parts) > 15) return parts;
  const shift = exponent + TAIL_DIGITS;
  // An exponent may be as small as -Infinity.
  const value = shift >= 0 ? BigInt(digits) * 10n ** BigInt(shift) : BigInt(digits.slice(0, shift));
  const step = 10n ** BigInt(TAIL_DIGITS - decimals);
  const near = divideHalfUp(value, step) * step;
  const tail = value > near ? value - near : near - value;
  const size = Number(`${digits}e${exponent}`);
  const unit = size < LONG_TAILS ? 0n : (10n ** BigInt(TAIL_DIGITS)) >> BigInt(52 - Math.floor(Math.log2(size)));
  if (tail > SHORTEST_TAIL && tail > 4n * unit) return parts;
  return decimalParts(`${negative ? "-" : ""}${near}e-${TAIL_DIGITS}`) ?? parts;
}

/**
 * Returns the value of a number that a POS computed. What is left without its tail is rounded half up to 4 decimals:
 * 361.72999999999996 is 361.73.
 * @param decimals places of the amounts that the POS means
 * @throws RangeError if the text is not a number, or has more than 15 digits before the point
 */
export function parseRounded(text: string, decimals: number): Scaled {
  const sent = decimalParts(text);
  const parts = sent && withoutTail(sent, decimals);
  if (parts === undefined || integerDigits(parts) > 15) throw new RangeError(`not an amount: ${text.slice(0, 40)}`);
  const { digits, negative, exponent } = parts;
  const shift = exponent + SCALE_DIGITS;
  // Only the first dropped digit decides. `shift` may be as small as -Infinity.
  const kept = shift >= 0 ? BigInt(digits || "0") * 10n ** BigInt(shift) : BigInt(digits.slice(0, shift));
  const value = kept + (shift < 0 && (digits.at(shift) ?? "0") >= "5" ? 1n : 0n);
  return negative ? -value : value;
}

/** Divides and rounds half up: a result of exactly one half is rounded away from zero (protocol facts, section 5). */
export function divideHalfUp(numerator: bigint, denominator: bigint): bigint {
  const negative = numerator < 0n !== denominator < 0n;
  const n = numerator < 0n ? -numerator : numerator;
  const d = denominator < 0n ? -denominator : denominator;
  const quotient = (2n * n + d) / (2n * d);
  return negative ? -quotient : quotient;
}

/** Scaled value of the last decimal place of numbers with 0 to 4 decimals. */
const PLACES = [10_000n, 1_000n, 100n, 10n, 1n] as const;

/** Returns the value rounded half up to `decimals` places. The result is scaled by 10,000 too. */
export function roundTo(value: Scaled, decimals: 0 | 1 | 2 | 3 | 4): Scaled {
  const place = PLACES[decimals];
  return divideHalfUp(value, place) * place;
}

/** Returns the number with exactly `decimals` places, rounded half up: 21650n with 2 places is "2.17". */
export function toFixed(value: Scaled, decimals: 0 | 1 | 2 | 3 | 4): string {
  const rounded = divideHalfUp(value, PLACES[decimals]);
  const digits = (rounded < 0n ? -rounded : rounded).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const sign = rounded < 0n ? "-" : "";
  return decimals === 0 ? sign + whole : `${sign}${whole}.${digits.slice(-decimals)}`;
}

/** Returns an amount with two decimals, or with four if it needs them. */
export function toAmountText(value: Scaled): string {
  return toFixed(value, value % 100n === 0n ? 2 : 4);
}

/** Returns the shortest exact text of a number, which is also its JSON: 684600n is "68.46", 90000n is "9". */
export function toDecimalText(value: Scaled): string {
  return toFixed(value, SCALE_DIGITS).replace(/\.?0+$/, "");
}

/** Returns the product of two scaled numbers, rounded half up to 4 decimals. */
export function multiply(a: Scaled, b: Scaled): Scaled {
  return divideHalfUp(a * b, SCALE);
}
