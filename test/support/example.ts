/** Values to check against a schema: what it describes, with something else in some places. */
import fc, { type Arbitrary } from "fast-check";
import type { JsonSchema } from "../../src/schema/compiler.js";
import { JsonNumber } from "../../src/schema/decimal.js";

/** Usually not what a value should be. */
const ODD = fc.oneof(
  fc.constantFrom(null, true, 0, -1, 1.5, "", "x", "1234", "2026-01-31T12:00:00Z", [], {}),
  fc.jsonValue({ maxDepth: 2 }),
) as Arbitrary<unknown>;

export function exampleOf(schema: JsonSchema): Arbitrary<unknown> {
  return fc.oneof({ arbitrary: described(schema), weight: 4 }, { arbitrary: ODD, weight: 1 });
}

function described(schema: JsonSchema): Arbitrary<unknown> {
  const { enum: values, anyOf, oneOf, properties, items, pattern, minimum = 0 } = schema;
  const choices = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
  if (Array.isArray(values)) return fc.constantFrom(...(values as unknown[]));
  if (choices) return fc.oneof(...choices.map(exampleOf));
  if (properties) return record(schema, properties as Record<string, JsonSchema>);
  if (items) return fc.array(exampleOf(items as JsonSchema), { maxLength: 3 });
  if (schema.decimal) return fc.double({ noNaN: true }).map((number) => new JsonNumber(String(number)));
  if (typeof pattern === "string" && !/\\p|\(\?[!=]/.test(pattern))
    return fc.oneof(fc.stringMatching(new RegExp(pattern, "u")), fc.string());
  if (schema.type === "integer") return fc.integer({ min: Number(minimum) - 1, max: Number(minimum) + 70_000 });
  if (schema.type === "string") return fc.oneof(fc.string(), fc.constant("2026-01-31T12:00:00Z"));
  return ODD;
}

function record({ required = [] }: JsonSchema, properties: Record<string, JsonSchema>): Arbitrary<unknown> {
  const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, exampleOf(field)]));
  const complete = fc.record(fields, { requiredKeys: required as string[] });
  const partly = fc.record(fields, { requiredKeys: [] });
  return fc.oneof(
    complete,
    partly,
    fc.tuple(partly, ODD).map(([some, another]) => ({ ...(some as object), another })),
  );
}
