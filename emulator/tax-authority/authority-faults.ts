/** The faults of the authority and of its online service, for servers, control interface, scenarios and documents. */
import { POSITIVE_DURATION_SCHEMA } from "../../src/base/duration.js";
import { describedSchema, type JsonSchema } from "../../src/schema/json-schema.js";

interface FaultRow<T> {
  readonly schema: JsonSchema;
  /** The value without the fault. */
  readonly normal: T;
  readonly meaning: string;
}

type FaultTable = Readonly<Record<string, FaultRow<unknown>>>;

type FaultValues<T extends FaultTable> = { readonly [N in keyof T]: T[N]["normal"] };

const fault = <T>(schema: JsonSchema, normal: T, meaning: string): FaultRow<T> => ({ schema, normal, meaning });
const number = (range: JsonSchema, meaning: string) =>
  fault<number | null>({ anyOf: [{ type: "integer", ...range }, { type: "null" }] }, null, meaning);
const flag = (meaning: string) => fault<boolean>({ type: "boolean" }, false, meaning);

function normalValues<T extends FaultTable>(table: T): FaultValues<T> {
  return Object.fromEntries(Object.entries(table).map(([name, { normal }]) => [name, normal])) as FaultValues<T>;
}

/** JSON Schema of an object with any number of these faults. */
function faultsSchema(table: FaultTable, description: string): JsonSchema {
  const properties = Object.entries(table).map(([name, row]) => [name, { ...row.schema, description: row.meaning }]);
  return describedSchema(description, Object.fromEntries(properties));
}

export const ODD_CONFIGURATIONS = [
  ...(["none", "timeZone", "languages", "texts", "timeServer", "categoryTypes", "oneGroup", "names"] as const),
];
export type OddConfiguration = (typeof ODD_CONFIGURATIONS)[number];

export const AUTHORITY_FAULTS = {
  down: flag("every call of a service is closed without an answer; the pages for people stay"),
  delay: fault(POSITIVE_DURATION_SCHEMA, "0s", "how long each answer of the API waits, such as 20s"),
  httpStatus: number({ minimum: 400, maximum: 599 }, "every request of the API gets this HTTP status"),
  refuseTokens: flag("the authority refuses tokens (403), as it does when the client certificate is revoked"),
  expiredTokens: flag("every token has expired when it is used (401)"),
  wrongProof: flag("proofs of audit are for another request, so the card refuses them"),
  holdProofs: flag("requests for proofs wait until the fault is removed"),
  duplicateCommands: flag("each answer lists every command twice, with the same commandId"),
  reversedCommands: flag("the newest command comes first"),
  foreignCommands: flag("each answer lists the commands of all cards"),
  packageStatus: number(
    { minimum: 0, maximum: 99 },
    "every package gets this status; after the fault is removed, verify the packages again",
  ),
  refusedCounter: number({ minimum: 1 }, "the package with this total counter is refused with 400, each time"),
  renegotiation: flag(
    "the first handshake asks for no client certificate; the request for a token asks for it, by renegotiation of TLS 1.2",
  ),
  tokenExpiry: fault<"expiresAt" | "expireAt" | "none">(
    { enum: ["expiresAt", "expireAt", "none"] },
    "expiresAt",
    "the name under which the token's answer says when it expires",
  ),
  upperCaseNames: flag("property names of answers are in upper case"),
  unreadableCommands: flag(
    "each list of commands begins with four that cannot be executed: payload null, uid null, type 4, type 99",
  ),
  oddConfiguration: fault<OddConfiguration>(
    { enum: ODD_CONFIGURATIONS },
    "none",
    "what is odd in the configuration and rates: an unknown time zone, languages that few know, texts that are null, a bare host as time server, category types as words, only the newest group and as an object, property names in upper case",
  ),
  strict: flag(
    "ids only as they were sent, a body with each PUT, property names only as documented; not a fault of the authority",
  ),
};

export type AuthorityFaults = FaultValues<typeof AUTHORITY_FAULTS>;
export const NO_FAULTS: AuthorityFaults = normalValues(AUTHORITY_FAULTS);
export const AUTHORITY_FAULTS_SCHEMA = faultsSchema(AUTHORITY_FAULTS, "what goes wrong at the tax authority");

export const VSDC_FAULTS = {
  down: flag("every connection is closed without an answer"),
  delay: fault(POSITIVE_DURATION_SCHEMA, "0s", "how long each request waits before the service reads it, such as 20s"),
  loseAnswers: flag("invoices are signed, and the connection is closed before the answer"),
  revoked: flag("the client certificate is revoked (403)"),
};

export type VsdcFaults = FaultValues<typeof VSDC_FAULTS>;
export const NO_VSDC_FAULTS: VsdcFaults = normalValues(VSDC_FAULTS);
export const VSDC_FAULTS_SCHEMA = faultsSchema(VSDC_FAULTS, "what goes wrong at the online service");
