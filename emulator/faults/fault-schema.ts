/** The JSON Schema of a fault. If a fault would have no effect, the schema refuses it and gives the reason. */
import { DURATION_SCHEMA, POSITIVE_DURATION_SCHEMA } from "../../src/base/duration.js";
import { textLike } from "../../src/schema/json-schema.js";
import {
  FAULT_KINDS,
  FAULT_PLACES,
  type FaultField,
  type FaultKindRule,
  type FaultPlace,
  OPERATIONS,
} from "./fault.js";

const BY_NUMBER = textLike("^ins:[0-9A-F]{2}$", "one of the operations, or such as ins:13");
const NOT_NEGATIVE = { not: { type: "string", pattern: "^-" }, description: "must not be negative" };
const FIELDS: readonly FaultField[] = ["duration", "upTo", "statusWord", "bit"];
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
    kind: {
      enum: KINDS.map(([kind]) => kind),
      description: KINDS.map(([kind, { meaning }]) => `${kind}: ${meaning}`).join("; "),
    },
    nth: { type: "integer", minimum: 1, description: "only the n-th time; default: every time" },
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
    ...KINDS.map(([kind, rule]) => conditional({ kind: { const: kind } }, ruleOf(kind, rule))),
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

function ruleOf(kind: string, { strikes, fields = [], required = [] }: FaultKindRule) {
  const unused = FIELDS.filter((field) => !fields.includes(field));
  return {
    required,
    properties: {
      ...placesOf(kind, strikes),
      ...Object.fromEntries(unused.map((field) => [field, { not: {}, description: `${kind} has no ${field}` }])),
    },
  };
}

/** Returns a schema that refuses the operations that this kind of fault cannot strike. */
function placesOf(kind: string, strikes: readonly FaultPlace[]) {
  const refused = (Object.keys(FAULT_PLACES) as FaultPlace[]).filter((place) => !strikes.includes(place));
  if (refused.length === 0) return {};
  const names = refused.flatMap((place): readonly string[] => FAULT_PLACES[place].names);
  const places = strikes.map((place) => FAULT_PLACES[place].described).join(" and on ");
  const description = `${kind} has no effect here; it strikes on ${places}`.replaceAll("`", "");
  const others = { enum: names };
  return { on: { not: refused.includes("card") ? { anyOf: [others, BY_NUMBER] } : others, description } };
}
