/** The JSON Schema of scenario files, published as scenarios/schema.json so that editors complete and check them. */

import { GIVEN_SCHEMA } from "../../emulator/world/given.js";
import { REQUEST_FILTER } from "../../emulator/world/schemas.js";
import { actionSchema, STEP_KINDS } from "../../emulator/world/steps.js";
import { POSITIVE_DURATION_SCHEMA } from "../../src/base/duration.js";
import { describedSchema as object, textLike } from "../../src/schema/json-schema.js";
import { TIME_SCHEMA } from "../../src/schema/time-schema.js";

const REQUEST = object("an HTTP request of the till; a sale by default", {
  online: {
    const: true,
    description: "send it to the online service of given.vsdc, with the emulator's client certificate and PAC",
  },
  method: { enum: ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"], description: "default: POST" },
  path: { ...textLike("^/", "a path with / first"), description: "default: /api/v3/invoices" },
  headers: { type: "object", additionalProperties: { type: "string" } },
  invoice: {
    type: "object",
    description: "a valid sale with these fields replaced; { $repeat: { times, value } } is a long list",
  },
  json: { description: "the body as JSON; { $repeat: { times, value } } is a long list" },
  text: { type: "string", description: "the body as text, byte by byte" },
  bytes: {
    ...textLike("^([0-9A-Fa-f]{2})*$", "two hexadecimal digits for each byte"),
    description: "the body in hexadecimal",
  },
});

const ANSWER = object("the expected answer; a value may be a matcher", {
  status: { description: "HTTP status" },
  headers: { type: "object", description: "headers by name" },
  json: { description: "a subset of the body" },
  text: { description: "the whole body as text" },
  dropped: { type: "boolean", description: "the connection breaks before the answer is complete" },
  capture: {
    type: "object",
    description:
      "values for later steps: a name and a place in the body; later steps write the name in braces after a dollar sign",
    additionalProperties: { type: "string" },
  },
});

const CHECK = object("the expected state of card, store and authority", {
  counters: { type: "object", description: "total, and each pair of types by its letters, such as NS" },
  sum: { description: "decimal text" },
  pinTriesLeft: {},
  pin: { description: "required, verified, locked, no-card, unreachable or unsupported" },
  authority: object("what the authority has for the card in the reader, and the files on the stick", {
    packages: {},
    verified: { description: "packages with status 4" },
    gaps: {},
    proofs: object("of audit", { taken: {}, refused: {} }),
    waiting: { description: "commands that are not reported yet" },
    failed: { description: "commands that were reported as failed" },
    stick: { description: "names of the files on the stick" },
  }),
  store: object("invoices in the store", { complete: {}, open: {}, lost: {} }),
});

const WORLD_STEPS = Object.fromEntries(STEP_KINDS.map((kind) => [kind, actionSchema(kind)]));

const oneOf = (names: readonly string[]) => names.map((name) => ({ required: [name] }));

/** The kinds of steps. Each step has exactly one of these keys. */
const STEPS = {
  request: REQUEST,
  ...WORLD_STEPS,
  check: CHECK,
  parallel: { type: "array", minItems: 2, description: "steps at the same time", items: { $ref: "#/$defs/step" } },
};

const STEP = {
  type: "object",
  additionalProperties: false,
  properties: {
    say: { type: "string", description: "what this step is for" },
    answer: ANSWER,
    ...STEPS,
  },
  oneOf: oneOf(Object.keys(STEPS)),
  "x-expected": `a step with exactly one of ${Object.keys(STEPS).join(", ")}`,
  dependentRequired: { answer: ["request"] },
};

const WHY = { type: "string", description: "why the authority or a shop needs this" };

const filter = (description: string) => ({ ...REQUEST_FILTER, description });

const EXPECTED = {
  say: WHY,
  sent: filter("fields of a request that the POS must send"),
  signed: filter("fields of a request for which an invoice must be signed"),
  notSent: filter("fields of a request that the POS must not send; in an order, not between its neighbours"),
  times: { type: "integer", minimum: 1, description: "exactly so many; default: at least one" },
  within: {
    ...POSITIVE_DURATION_SCHEMA,
    description: "at most so long after the POS's first request; in an order, after the request before it",
  },
  before: { ...TIME_SCHEMA, description: "sent before this time of the emulated clock" },
  after: { ...TIME_SCHEMA, description: "sent at this time of the emulated clock, or later" },
};

/** @param own a field that a request that must not be sent cannot have */
const expected = (description: string, own: Record<string, unknown>) => {
  const { times: _, ...fields } = EXPECTED;
  const dependentSchemas = Object.fromEntries(Object.keys(own).map((name) => [name, { not: oneOf(["notSent"])[0] }]));
  return {
    ...object(description, { ...fields, ...own }),
    oneOf: oneOf(["sent", "signed", "notSent"]),
    "x-expected": "an entry with exactly one of sent, signed, notSent",
    dependentSchemas,
  };
};

const CAPTURE = {
  type: "object",
  description:
    "values for later requests: a name and a place in this request, such as answer.invoiceNumber; later ones write the name in braces after a dollar sign",
  additionalProperties: { type: "string" },
};

const ORDER_ENTRY = {
  if: { type: "object", anyOf: oneOf(STEP_KINDS) },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: {
    ...object("a step of the world, played as soon as the entries before it are met", { say: WHY, ...WORLD_STEPS }),
    oneOf: oneOf(STEP_KINDS),
  },
  else: expected("a request in the order", { capture: CAPTURE }),
};

const EXPECTATION = {
  description: "a request that the POS must send or must not send, or several in order",
  if: { type: "object", required: ["inOrder"] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: object("requests in this order; others may come in between", {
    say: WHY,
    inOrder: { type: "array", minItems: 2, items: ORDER_ENTRY },
  }),
  else: expected("a request that the POS must send or must not send", { times: EXPECTED.times }),
};

const TEXT = { type: "string" };
const TAGS = {
  type: "array",
  items: textLike("^[A-Za-z0-9-]+$", "letters of ASCII, digits and -"),
};

export const SCENARIO_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "tillseal scenario",
  ...object(
    "a situation: given is the world; either steps are the requests and the expected answers, or expect is what a POS must send",
    {
      name: { type: "string", minLength: 1, description: "what the scenario shows, as a sentence" },
      about: { type: "string", description: "why it matters, and the document that defines it" },
      todo: { type: "string", description: "what a person does with the POS in the situation" },
      serbian: object("the texts in Serbian", { name: TEXT, about: TEXT, todo: TEXT }, ["name"]),
      tags: TAGS,
      rows: {
        type: "array",
        items: TAGS.items,
        description: "rows of `rehearse` that fail the situation, beside its expectations",
      },
      given: GIVEN_SCHEMA,
      cases: {
        type: "array",
        minItems: 1,
        description:
          "plays the scenario once for each case; the scenario writes a case's values as names in braces after a dollar sign",
        items: {
          type: "object",
          required: ["case"],
          properties: {
            case: { type: "string", description: "its name" },
            serbian: { type: "string", description: "its name in Serbian" },
            tags: { ...TAGS, description: "tags of this case only, in addition to those of the file" },
          },
        },
      },
      steps: { type: "array", minItems: 1, items: { $ref: "#/$defs/step" } },
      expect: {
        type: "array",
        minItems: 1,
        description: "what the POS must send, and must not send; for scenario expect and tests",
        items: EXPECTATION,
      },
    },
    ["name"],
  ),
  not: { required: ["steps", "expect"], description: "steps and expect exclude each other" },
  $defs: { step: STEP },
};

const VARIABLE = {
  type: "string",
  pattern: "^\\$\\{[A-Za-z]\\w*\\}$",
  description: "the value of a case or of a capture",
};

/** Returns the schema for editors, where each value in `given` and `steps` may be a variable. */
export function publishedSchema(): object {
  const { given, ...properties } = SCENARIO_SCHEMA.properties as Record<string, unknown>;
  return {
    ...SCENARIO_SCHEMA,
    properties: { ...properties, given: orVariable(given) },
    $defs: { step: orVariable(STEP) },
  };
}

/** Keywords whose value is a schema of values. */
const NESTED = ["items", "additionalProperties", "then", "else"];

function orVariable(schema: unknown): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(orVariable);
  // We leave out keywords that begin with x-, because they are for error texts and validate nothing.
  const validating = Object.entries(schema).filter(([key]) => !key.startsWith("x-"));
  const entries = validating.map(([key, value]) => {
    if (key === "properties") {
      const fields = Object.entries(value as object).map(([name, field]) => [name, variableOr(field)]);
      return [key, Object.fromEntries(fields)];
    }
    return [key, NESTED.includes(key) ? orVariable(value) : value];
  });
  return Object.fromEntries(entries);
}

function variableOr(field: unknown): unknown {
  const isFree =
    typeof field !== "object" || field === null || !["type", "enum", "anyOf", "if"].some((key) => key in field);
  return isFree ? field : { anyOf: [orVariable(field), VARIABLE] };
}
