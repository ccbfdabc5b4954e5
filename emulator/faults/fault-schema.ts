/** The JSON Schema of a fault. If a fault would have no effect, the schema refuses it and gives the reason. */
import { DURATION_SCHEMA, POSITIVE_DURATION_SCHEMA } from "../../src/base/duration.js";
import { objectSchema, textLike } from "../../src/schema/json-schema.js";
import {
  FAULT_FIELDS,
  FAULT_KINDS,
  FAULT_PLACES,
  type FaultKindRule,
  type FaultPlace,
  type FaultRule,
  OPERATIONS,
} from "./fault.js";

const BY_NUMBER = textLike("^ins:[0-9A-F]{2}$", "one of the operations, or such as ins:13");
const NOT_NEGATIVE = { not: { type: "string", pattern: "^-" }, description: "must not be negative" };
export const MATCHED = (description: string) => ({
  description: `${description}; a value, a part of it, or a matcher`,
});
export const REQUEST_FIELDS = {
  method: MATCHED("such as POST"),
  path: MATCHED("with its query, such as /api/v3/invoices"),
  requestId: MATCHED("the header RequestId, or null"),
  body: MATCHED("the body that was sent, JSON as a value"),
  invoice: MATCHED("the posted invoice in the interface's own spelling, whatever spelling the POS uses"),
};
const KINDS = Object.entries(FAULT_KINDS) as [string, FaultKindRule][];

export const FAULT_SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["on", "kind"],
  properties: {
    on: {
      type: "string",
      anyOf: [{ enum: OPERATIONS }, BY_NUMBER],
      description: `what goes wrong: ${OPERATIONS.join(", ")}, or ins: and an instruction in hexadecimal`,
    },
    kind: oneOfKinds(FAULT_KINDS),
    nth: { type: "integer", minimum: 1, description: "only the n-th time; default: every time" },
    where: {
      ...objectSchema({ ...REQUEST_FIELDS, repeat: MATCHED("whether the same RequestId came before") }, []),
      description: "only for requests with these fields, on answer and operations of the card; default: all",
    },
    probability: { type: "number", minimum: 0, maximum: 1, description: "from the seed; default: always" },
    duration: {
      ...DURATION_SCHEMA,
      description: "of a latency, a trickling answer or a clock jump: 40s, 500ms, 1h30m",
    },
    upTo: { ...POSITIVE_DURATION_SCHEMA, description: "upper end of a range of latency" },
    statusWord: {
      ...textLike("^[0-9A-F]{4}$", '4 hexadecimal digits as text, such as "6985"'),
      description: "for the kind statusWord",
    },
    bit: { type: "integer", minimum: 0, description: "for the kind bitFlip" },
  },
  dependentRequired: { upTo: ["duration"] },
  allOf: [
    ...KINDS.map(([kind, rule]) => ruleOf(kind, rule, FAULT_FIELDS, placesOf(kind, rule.strikes))),
    withoutWhere(FAULT_PLACES.store.names, "a commit may carry several sales"),
    withoutWhere(FAULT_PLACES.connect.names, "no single request connects the card"),
    // Disk and network need a duration, because the default latency is that of a real card.
    conditional(
      { kind: { const: "latency" }, on: { enum: [...FAULT_PLACES.store.names, ...FAULT_PLACES.answer.names] } },
      { required: ["duration"] },
    ),
    ...["latency", "trickle"].map((kind) =>
      conditional({ kind: { const: kind } }, { properties: { duration: NOT_NEGATIVE } }),
    ),
  ],
} as const;

/** Applies `then` only if all fields of the condition are present. Other schemas report missing fields. */
export function conditional(properties: Readonly<Record<string, object>>, then: object) {
  return { if: { required: Object.keys(properties), properties }, then };
}

function withoutWhere(names: readonly string[], why: string) {
  const description = `has no effect here: ${why}; it holds on answer and on operations of the card`;
  return conditional({ where: {}, on: { enum: names } }, { properties: { where: { not: {}, description } } });
}

export function oneOfKinds(kinds: Readonly<Record<string, { readonly meaning: string }>>) {
  const meanings = Object.entries(kinds).map(([kind, { meaning }]) => `${kind}: ${meaning}`);
  return { enum: Object.keys(kinds), description: meanings.join("; ") };
}

/** Demands the required fields of a kind, and refuses the fields that it does not have. @param places a schema of `on` */
export function ruleOf<P, N extends string>(
  kind: string,
  { fields = [], required = [] }: FaultRule<P, N>,
  all: readonly N[],
  places: object,
) {
  const others = all.filter((field) => !fields.includes(field));
  const unused = others.map((field) => [field, { not: {}, description: `${kind} has no ${field}` }]);
  return conditional({ kind: { const: kind } }, { required, properties: { ...places, ...Object.fromEntries(unused) } });
}

function placesOf(kind: string, strikes: readonly FaultPlace[]) {
  const refused = (Object.keys(FAULT_PLACES) as FaultPlace[]).filter((place) => !strikes.includes(place));
  if (refused.length === 0) return {};
  const names = refused.flatMap((place): readonly string[] => FAULT_PLACES[place].names);
  const places = strikes.map((place) => FAULT_PLACES[place].described).join(" and on ");
  const description = `${kind} has no effect here; it strikes on ${places}`.replaceAll("`", "");
  const others = { enum: names };
  return { on: { not: refused.includes("card") ? { anyOf: [others, BY_NUMBER] } : others, description } };
}
