/** The list of the authority's faults, for the server, its admin interface and docs/authority-api.md. */
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
  refusedCounter: {
    schema: { anyOf: [{ type: "integer", minimum: 1 }, { type: "null" }] },
    normal: null,
    meaning: "the package with this total counter is refused with 400, each time",
  },
  renegotiation: {
    schema: { type: "boolean" },
    normal: false,
    meaning:
      "the first handshake asks for no client certificate; the request for a token asks for it, by renegotiation of TLS 1.2",
  },
  tokenExpiry: {
    schema: { enum: ["expiresAt", "expireAt", "none"] },
    normal: "expiresAt",
    meaning: "the name under which the token's answer says when it expires",
  },
  upperCaseNames: {
    schema: { type: "boolean" },
    normal: false,
    meaning: "property names of answers are in upper case",
  },
  unreadableCommands: {
    schema: { type: "boolean" },
    normal: false,
    meaning: "each list of commands begins with four that cannot be executed: payload null, uid null, type 4, type 99",
  },
  oddConfiguration: {
    schema: { enum: ["none", "timeZone", "languages", "texts", "timeServer", "categoryTypes", "oneGroup", "names"] },
    normal: "none",
    meaning:
      "what is odd in the configuration and rates: an unknown time zone, languages that few know, texts that are null, a bare host as time server, category types as words, only the newest group and as an object, property names in upper case",
  },
  strict: {
    schema: { type: "boolean" },
    normal: false,
    meaning:
      "ids only as they were sent, a body with each PUT, property names only as documented; not a fault of the authority",
  },
} as const satisfies Record<string, { schema: JsonSchema; normal: unknown; meaning: string }>;

/** JSON Schema of an object with any number of these faults. */
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
  /** Duration, such as `20s`. */
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
  readonly refusedCounter: number | null;
  readonly renegotiation: boolean;
  readonly tokenExpiry: "expiresAt" | "expireAt" | "none";
  readonly upperCaseNames: boolean;
  readonly unreadableCommands: boolean;
  readonly oddConfiguration: OddConfiguration;
  readonly strict: boolean;
}

export type OddConfiguration =
  | "none"
  | "timeZone"
  | "languages"
  | "texts"
  | "timeServer"
  | "categoryTypes"
  | "oneGroup"
  | "names";

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
  refusedCounter: AUTHORITY_FAULTS.refusedCounter.normal,
  renegotiation: AUTHORITY_FAULTS.renegotiation.normal,
  tokenExpiry: AUTHORITY_FAULTS.tokenExpiry.normal,
  upperCaseNames: AUTHORITY_FAULTS.upperCaseNames.normal,
  unreadableCommands: AUTHORITY_FAULTS.unreadableCommands.normal,
  oddConfiguration: AUTHORITY_FAULTS.oddConfiguration.normal,
  strict: AUTHORITY_FAULTS.strict.normal,
};
