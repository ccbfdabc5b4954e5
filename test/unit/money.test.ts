import fc from "fast-check";
import { expect, it } from "vitest";
import {
  decimalParts,
  divideHalfUp,
  fractionDigits,
  integerDigits,
  multiply,
  parseRounded,
  parseScaled,
  roundTo,
  toDecimalText,
  toFixed,
  withoutTail,
} from "../../src/fiscal/money.js";

const scaled = fc.bigInt({ min: -(10n ** 19n) + 1n, max: 10n ** 19n - 1n });
const abs = (n: bigint) => (n < 0n ? -n : n);

it("exact decimals parses every value that it writes", () => {
  fc.assert(fc.property(scaled, (value) => parseScaled(toDecimalText(value)) === value));
  fc.assert(fc.property(scaled, (value) => parseScaled(toFixed(value, 4)) === value));
});

it("exact decimals parses a number equally in every notation", () => {
  fc.assert(
    fc.property(scaled, fc.integer({ min: -6, max: 6 }), (value, shift) => {
      const text = toFixed(value, 4);
      const [whole = "", fraction = ""] = text.split(".");
      const unscaled = BigInt(whole + fraction);
      // value = unscaled · 10^-4 = (unscaled · 10^(6+shift)) · 10^-(10+shift)
      const exponentForm = `${unscaled * 10n ** BigInt(6 + shift)}e${-(10 + shift)}`;
      expect(parseScaled(exponentForm)).toBe(value);
      expect(parseScaled(`${text}000`)).toBe(value);
    }),
  );
});

it("exact decimals has no trace of binary floating point", () => {
  expect(parseScaled("0.1") + parseScaled("0.2")).toBe(parseScaled("0.3"));
  // More digits than a binary number of 64 bits holds.
  expect(toDecimalText(parseScaled("999999999999.9999"))).toBe("999999999999.9999");
  expect(parseScaled("1e2")).toBe(1_000_000n);
  expect(parseScaled("-0")).toBe(0n);
});

it("exact decimals rounds a number of any precision half up to 4 decimals", () => {
  const digits = (maxLength: number) => fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: 1, maxLength });
  fc.assert(
    fc.property(digits(12), digits(30), fc.integer({ min: -9, max: 3 }), (whole, fraction, shift) => {
      const exact = BigInt(whole + fraction) * 10n ** BigInt(shift + 13);
      const rounded = divideHalfUp(exact, 10n ** BigInt(fraction.length + 9));
      expect(parseRounded(`${whole}.${fraction}e${shift}`, 4)).toBe(rounded);
      expect(parseRounded(`-${whole}.${fraction}e${shift}`, 4)).toBe(-rounded);
    }),
  );
  const texts = ["361.72999999999996", "0.00005", "0.00004999", "5e-999999999999"];
  expect(texts.map((text) => parseRounded(text, 2))).toEqual([3_617_300n, 1n, 0n, 0n]);
  expect(() => parseRounded(`1${"0".repeat(16)}.00001`, 2)).toThrow(RangeError);
});

const isDecimal = (text: string, decimals: number): boolean => {
  const parts = decimalParts(text);
  return parts !== undefined && fractionDigits(withoutTail(parts, decimals)) <= decimals;
};

it("exact decimals reads price times quantity, and sums, of binary numbers as the decimals that a POS means", () => {
  const cents = fc.integer({ min: -500_000_000, max: 500_000_000 });
  fc.assert(
    fc.property(cents, fc.integer({ min: 1, max: 999 }), cents, (price, quantity, other) => {
      const product = String((price / 100) * quantity);
      expect(parseRounded(product, 2), product).toBe(BigInt(price * quantity) * 100n);
      const sum = String(price / 100 + other / 100);
      expect(parseRounded(sum, 2), sum).toBe(BigInt(price + other) * 100n);
      expect([product, sum].every((text) => isDecimal(text, 2))).toBe(true);
    }),
  );
});

it("exact decimals keeps a real further decimal, in each size that a field may have", () => {
  const digit = fc.integer({ min: 1, max: 9 });
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 14n - 1n }), digit, digit, (cents, third, fourth) => {
      const text = toFixed(cents * 100n, 2);
      expect(isDecimal(`${text}${third}`, 2)).toBe(false);
      expect(isDecimal(`${toFixed((cents / 10n) * 100n, 2)}0${fourth}`, 3)).toBe(false);
    }),
  );
  expect(["0.0100000009", "0.0100000011", "993.4200000000001"].map((text) => isDecimal(text, 2))).toEqual([
    true,
    false,
    true,
  ]);
});

it("exact decimals refuses what it cannot hold exactly, and handles numbers of any size at once", () => {
  for (const text of [
    "1.00001",
    "1e308",
    "1e-5",
    "12345678901234567",
    "NaN",
    "",
    "0x10",
    " 1",
    "1.",
    ".5",
    "1e99999",
  ]) {
    expect(() => parseScaled(text), text).toThrow(RangeError);
  }
  const huge = decimalParts("1e308");
  expect(huge && integerDigits(huge)).toBe(309);
  const tiny = decimalParts("1e-400000000000000000000000");
  expect(tiny && fractionDigits(tiny)).toBeGreaterThan(1e20);
});

it("exact decimals divides to the nearest, and rounds halves away from zero", () => {
  fc.assert(
    fc.property(scaled, fc.bigInt({ min: 1n, max: 10n ** 9n }), (numerator, denominator) => {
      const quotient = divideHalfUp(numerator, denominator);
      const error = abs(quotient * denominator - numerator) * 2n;
      expect(error <= denominator).toBe(true);
      if (error === denominator) expect(abs(quotient * denominator) > abs(numerator)).toBe(true);
      expect(divideHalfUp(-numerator, denominator)).toBe(-quotient);
    }),
  );
  expect([divideHalfUp(5n, 10n), divideHalfUp(-5n, 10n), divideHalfUp(4n, 10n)]).toEqual([1n, -1n, 0n]);
});

it("exact decimals rounds a price for print half up: 2.1650 is 2.17", () => {
  expect(toFixed(21_650n, 2)).toBe("2.17");
  expect(toFixed(-21_650n, 2)).toBe("-2.17");
  expect(toFixed(21_649n, 2)).toBe("2.16");
  expect(roundTo(21_650n, 2)).toBe(21_700n);
  expect(toFixed(5n, 0)).toBe("0");
});

it("exact decimals multiplies exactly when four decimals are enough", () => {
  expect(multiply(parseScaled("0.5"), parseScaled("3"))).toBe(parseScaled("1.5"));
  expect(multiply(parseScaled("0.0001"), parseScaled("0.5"))).toBe(parseScaled("0.0001"));
});
