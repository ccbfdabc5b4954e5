/** The list of the online service's faults, for the control interface, scenarios and docs/vsdc.md. */
import { POSITIVE_DURATION_SCHEMA } from "../../../src/base/duration.js";
import type { JsonSchema } from "../../../src/schema/json-schema.js";

export const VSDC_FAULTS = {
  down: {
    schema: { type: "boolean" },
    normal: false,
    meaning: "every connection is closed without an answer",
  },
  delay: {
    schema: POSITIVE_DURATION_SCHEMA,
    normal: "0s",
    meaning: "how long each request waits before the service reads it, such as 20s",
  },
  loseAnswers: {
    schema: { type: "boolean" },
    normal: false,
    meaning: "invoices are signed, and the connection is closed before the answer",
  },
  revoked: {
    schema: { type: "boolean" },
    normal: false,
    meaning: "the client certificate is revoked (403)",
  },
} as const satisfies Record<string, { schema: JsonSchema; normal: unknown; meaning: string }>;

export interface VsdcFaults {
  readonly down: boolean;
  /** Duration, such as `20s`. */
  readonly delay: string;
  readonly loseAnswers: boolean;
  readonly revoked: boolean;
}

export const NO_VSDC_FAULTS: VsdcFaults = {
  down: VSDC_FAULTS.down.normal,
  delay: VSDC_FAULTS.delay.normal,
  loseAnswers: VSDC_FAULTS.loseAnswers.normal,
  revoked: VSDC_FAULTS.revoked.normal,
};

/** JSON Schema of an object with any number of these faults. */
export const VSDC_FAULTS_SCHEMA: JsonSchema = {
  type: "object",
  additionalProperties: false,
  description: "what goes wrong at the online service",
  properties: Object.fromEntries(
    Object.entries(VSDC_FAULTS).map(([name, { schema, meaning }]) => [name, { ...schema, description: meaning }]),
  ),
};
