/** Pure rules of the emulated authority. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { openPackage, readPackage } from "../../emulator/tax-authority/open-package.js";
import { gapsIn } from "../../emulator/tax-authority/package-store.js";
import { readSale } from "../../emulator/tax-authority/read-sale.js";
import { CallError } from "../../src/http/call-errors.js";
import { packaged } from "../support/audited-till.js";
import { KEYS } from "../support/emulated-card.js";

const KEY = KEYS.authorityPrivateKey;

it("a package opens to what was put into it, also after a round trip through JSON", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      // UTF-8 cannot carry lone surrogates.
      fc.pre(Buffer.from(text).toString() === text);
      expect(openPackage(readPackage(JSON.parse(JSON.stringify(packaged(text)))), KEY)).toBe(text);
    }),
    { numRuns: 30 },
  );
});

it("a package that is altered anywhere opens to nothing, or to something that is not a sale", () => {
  const text = JSON.stringify({ request: {}, result: {} });
  fc.assert(
    fc.property(
      fc.constantFrom("key", "iv", "payload"),
      fc.nat(10_000),
      fc.integer({ min: 1, max: 255 }),
      (field, at, change) => {
        const made = packaged(text);
        const bytes = Buffer.from(made[field], "base64");
        const place = at % bytes.length;
        bytes.writeUInt8(bytes.readUInt8(place) ^ change, place);
        expect(() => readSale(openPackage({ ...made, [field]: bytes.toString("base64") }, KEY))).toThrow(CallError);
      },
    ),
    { numRuns: 60 },
  );
});

it("a package with any JSON inside is a sale or an error with a reason", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.json(),
        fc.record({ request: fc.jsonValue(), result: fc.jsonValue() }).map((value) => JSON.stringify(value)),
      ),
      (text) => {
        expect(() => readSale(text)).toThrow(CallError);
      },
    ),
  );
});

const range = fc.tuple(fc.integer({ min: 1, max: 60 }), fc.nat(5)).map(([from, more]) => ({ from, to: from + more }));

it("gaps and the counters that are there cover every counter exactly once", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 60 })),
      fc.array(range, { maxLength: 4 }),
      fc.integer({ min: 1, max: 20 }),
      (counters, explained, first) => {
        const gaps = gapsIn(counters, first, explained);
        const there = new Set([
          ...counters,
          ...explained.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i)),
        ]);
        const last = Math.max(first - 1, ...there);
        const missing = gaps.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, i) => from + i));
        const expected = Array.from({ length: last - first + 1 }, (_, i) => first + i).filter(
          (counter) => !there.has(counter),
        );
        expect(missing).toEqual(expected);
        for (const [i, { from }] of gaps.slice(1).entries()) expect(from).toBeGreaterThan((gaps[i]?.to ?? 0) + 1);
      },
    ),
  );
});
