/** Schemas of a rehearsal in the control interface. */
import type { JsonSchema } from "../../src/schema/validator.js";
import { SITUATIONS } from "./situations.js";

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };

const ROW: JsonSchema = {
  type: "object",
  additionalProperties: false,
  required: ["id", "text", "source", "state", "requests"],
  properties: {
    id: TEXT,
    text: { ...TEXT, description: "what the authority asks" },
    source: { ...TEXT, description: "the document that a public digest names" },
    state: { enum: ["passed", "failed", "notSeen", "eyes"] },
    requests: { type: "array", items: { type: "integer" }, description: "ids in `GET /control/traffic`" },
    value: { ...TEXT, description: "what is wrong" },
    missing: { ...TEXTS, description: "what was not seen yet" },
    refused: { ...TEXT, description: "the newest refused invoice and its reason, if nothing was signed after it" },
    todo: { ...TEXT, description: "what to do in the POS" },
    change: { ...TEXT, description: "what to change in the POS" },
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
