/** Schemas of a rehearsal in the control interface. */
import { type JsonSchema, objectSchema } from "../../src/schema/json-schema.js";

const TEXT = { type: "string" };

const WHY = {
  wrong: { ...TEXT, description: "what is wrong" },
  change: { ...TEXT, description: "what to change in the POS" },
  "to do": { ...TEXT, description: "what to do in the POS" },
  missing: { ...TEXT, description: "what was not seen yet" },
  refused: { ...TEXT, description: "the newest refused invoice and its reason, if nothing was signed after it" },
  note: { ...TEXT, description: "what to change, although a service must accept it" },
  source: { ...TEXT, description: "the document that a public digest names" },
};

const ROW = objectSchema({
  id: TEXT,
  text: { ...TEXT, description: "what the authority asks" },
  outcome: { enum: ["passed", "failed", "not seen", "needs a person"] },
  why: objectSchema(WHY, []),
  exchange: {
    type: "array",
    items: objectSchema({ id: { type: "integer", description: "id in `GET /control/traffic`" }, line: TEXT }),
  },
});

export const REHEARSAL: JsonSchema = objectSchema(
  {
    requests: { type: "integer" },
    last: { type: "integer", description: "the largest id of a request so far" },
    rows: { type: "array", items: ROW },
    refused: WHY.refused,
  },
  ["requests", "last", "rows"],
);

export const SITUATION: JsonSchema = {
  ...objectSchema(
    {
      name: { ...TEXT, description: "of a shipped situation that can be put into a running world" },
      inOrder: {
        type: "array",
        items: { type: "object" },
        description: "as a scenario file has it; its steps are played",
      },
    },
    [],
  ),
  minProperties: 1,
  maxProperties: 1,
};
