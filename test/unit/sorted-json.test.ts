/** Stores keep hashes of this text, so it must never change for the same request. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { sortedJson } from "../../src/fiscalizer/sorted-json.js";

it("sorted JSON gives one text for fields in any order", () => {
  const invoice = {
    items: [{ name: "Bread", labels: ["A"], quantity: 10_000n }],
    cashier: undefined,
    options: { b: true, a: 1 },
  };
  expect(sortedJson(invoice)).toBe(
    '{"items":[{"labels":["A"],"name":"Bread","quantity":"10000n"}],"options":{"a":1,"b":true}}',
  );
});

it("sorted JSON equals JSON.stringify with sorted fields", () => {
  const name = fc.string().filter((text) => !/^\d|__proto__/.test(text));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.bigInt(),
      fc.constant(undefined),
      fc.array(tie("value"), { maxLength: 4 }),
      fc.dictionary(name, tie("value"), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (value) => {
      expect(sortedJson({ value })).toBe(JSON.stringify({ value }, sorted));
    }),
  );
});

function sorted(_: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value;
}
