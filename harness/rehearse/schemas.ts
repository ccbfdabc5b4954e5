/** Schemas of a rehearsal in the control interface. */
import type { JsonSchema } from "../../src/schema/validator.js";
import { SITUATIONS } from "./situations.js";

const TEXT = { type: "string" };

const WHY = {
  wrong: { ...TEXT, description: "what is wrong" },
  change: { ...TEXT, description: "what to change in the POS" },
  "to do": { ...TEXT, description: "what to do in the POS" },
  missing: { ...TEXT, description: "what was not seen yet" },
  refused: { ...TEXT, description: "the newest refused invoice and its reason, if nothing was signed after it" },
  source: { ...TEXT, description: "the document that a public digest names" },
};

const ROW: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["id", "text", "outcome", "why", "exchange"],
  properties: {
    id: TEXT,
    text: { ...TEXT, description: "what the authority asks" },
    outcome: { enum: ["passed", "failed", "not seen", "needs a person"] },
    why: { type: "object", additionalProperties: false, properties: WHY },
    exchange: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["id", "line"],
        properties: { id: { type: "integer", description: "id in `GET /control/traffic`" }, line: TEXT },
      },
    },
  },
};

export const REHEARSAL: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["requests", "rows"],
  properties: { requests: { type: "integer" }, rows: { type: "array", items: ROW } },
};

export const SITUATION: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["id"],
  properties: { id: { enum: SITUATIONS.map(({ id }) => id) } },
};
