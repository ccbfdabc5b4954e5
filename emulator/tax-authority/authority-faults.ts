/** The authority's faults. The server, its admin interface and docs/authority-api.md read this list. */
import { POSITIVE_DURATION_SCHEMA } from "../../src/base/duration.js";
import type { JsonSchema } from "../../src/schema/json-schema.js";

export const AUTHORITY_FAULTS = {
  down: {
    schema: { type: "boolean" },
    normal: false,
    meaning: "every call of a service is closed without an answer; the pages for people stay",
  },
  delay: {
    schema: POSITIVE_DURATION_SCHEMA,
    normal: "0s",
    meaning: "how long each answer of the API waits, such as 20s",
  },
  httpStatus: {
    schema: { anyOf: [{ type: "integer", minimum: 400, maximum: 599 }, { type: "null" }] },
    normal: null,
    meaning: "every request of the API gets this HTTP status",
  },
  refuseTokens: {
    schema: { type: "boolean" },
    normal: false,
    meaning: "the authority refuses tokens (403), as it does when the client certificate is revoked",
  },
  expiredTokens: {
    schema: { type: "boolean" },
    normal: false,
    meaning: "every token has expired when it is used (401)",
  },
  wrongProof: {
    schema: { type: "boolean" },
    normal: false,
    meaning: "proofs of audit are for another request, so the card refuses them",
  },
  holdProofs: {
    schema: { type: "boolean" },
    normal: false,
    meaning: "requests for proofs wait until the fault is removed",
  },
  duplicateCommands: {
    schema: { type: "boolean" },
    normal: false,
    meaning: "each answer lists every command twice, with the same commandId",
  },
  reversedCommands: { schema: { type: "boolean" }, normal: false, meaning: "the newest command comes first" },
  foreignCommands: {
    schema: { type: "boolean" },
    normal: false,
    meaning: "each answer lists the commands of all cards",
  },
  packageStatus: {
    schema: { anyOf: [{ type: "integer", minimum: 0, maximum: 99 }, { type: "null" }] },
    normal: null,
    meaning: "every package gets this status; after the fault is removed, verify the packages again",
  },
} as const satisfies Record<string, { schema: JsonSchema; normal: unknown; meaning: string }>;

/** Any number of these faults. */
export const AUTHORITY_FAULTS_SCHEMA: JsonSchema = {
  type: "object",
  additionalProperties: false,
  description: "what goes wrong at the tax authority",
  properties: Object.fromEntries(
    Object.entries(AUTHORITY_FAULTS).map(([name, { schema, meaning }]) => [name, { ...schema, description: meaning }]),
  ),
};

export interface AuthorityFaults {
  readonly down: boolean;
  /** `20s` */
  readonly delay: string;
  readonly httpStatus: number | null;
  readonly refuseTokens: boolean;
  readonly expiredTokens: boolean;
  readonly wrongProof: boolean;
  readonly holdProofs: boolean;
  readonly duplicateCommands: boolean;
  readonly reversedCommands: boolean;
  readonly foreignCommands: boolean;
  readonly packageStatus: number | null;
}

export const NO_FAULTS: AuthorityFaults = {
  down: AUTHORITY_FAULTS.down.normal,
  delay: AUTHORITY_FAULTS.delay.normal,
  httpStatus: AUTHORITY_FAULTS.httpStatus.normal,
  refuseTokens: AUTHORITY_FAULTS.refuseTokens.normal,
  expiredTokens: AUTHORITY_FAULTS.expiredTokens.normal,
  wrongProof: AUTHORITY_FAULTS.wrongProof.normal,
  holdProofs: AUTHORITY_FAULTS.holdProofs.normal,
  duplicateCommands: AUTHORITY_FAULTS.duplicateCommands.normal,
  reversedCommands: AUTHORITY_FAULTS.reversedCommands.normal,
  foreignCommands: AUTHORITY_FAULTS.foreignCommands.normal,
  packageStatus: AUTHORITY_FAULTS.packageStatus.normal,
};
