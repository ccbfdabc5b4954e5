/** The endpoints of the emulated authority's admin interface, for the router and for docs/authority-api.md. */
import { ENVIRONMENT_SCHEMA } from "../../src/config/environment-schema.js";
import type { JsonSchema } from "../../src/schema/validator.js";
import { DIRECTIVE_ACTIONS } from "../pki/audit.js";
import { AUTHORITY_FAULTS } from "./authority-faults.js";
import type { Endpoint } from "./endpoint/endpoint-router.js";

export const ADMIN_PREFIX = "/admin";

const object = (properties: Readonly<Record<string, unknown>>, required = Object.keys(properties)): JsonSchema => ({
  type: "object",
  additionalProperties: false,
  required,
  properties,
});
const TEXT = { type: "string" };
const COUNTER = { type: "integer", minimum: 0, maximum: 0xffffffff };
const AMOUNT = { ...TEXT, pattern: "^\\d{1,12}(\\.\\d{1,4})?$", description: "decimal text" };
const UID = { ...TEXT, pattern: "^[\\x21-\\x7e]{8}$" };
const ANY: JsonSchema = {};

const START = object({ counter: COUNTER, sum: AMOUNT });
const FAULTS = object(
  Object.fromEntries(Object.entries(AUTHORITY_FAULTS).map(([name, { schema }]) => [name, schema])),
  [],
);

export const ADMIN_ENDPOINTS = [
  { name: "cards", method: "GET", path: "/cards", purpose: "every registered card and its state", answer: ANY },
  {
    name: "register",
    method: "POST",
    path: "/cards",
    purpose:
      "register a card by its certificate (PEM). `start` gives its counter and sum at that time: invoices up to that counter are not expected",
    body: object({ certificate: TEXT, start: START }, ["certificate"]),
    answer: ANY,
    status: 201,
  },
  {
    name: "card",
    method: "GET",
    path: "/cards/:uid",
    purpose: "one card, with its commands, proofs and gaps",
    answer: ANY,
  },
  {
    name: "packages",
    method: "GET",
    path: "/cards/:uid/packages",
    purpose: "its packages, each with status and findings",
    answer: ANY,
  },
  {
    name: "patchCard",
    method: "PATCH",
    path: "/cards/:uid",
    purpose: "revoke its certificate from now on, or undo that",
    body: object({ revoked: { type: "boolean" } }),
    answer: ANY,
  },
  {
    name: "explain",
    method: "POST",
    path: "/cards/:uid/explained",
    purpose: "accept counters whose package is missing or not verified, so that the card can be audited",
    body: object({ from: COUNTER, to: COUNTER, reason: { ...TEXT, minLength: 1 } }),
    answer: ANY,
  },
  {
    name: "command",
    method: "POST",
    path: "/cards/:uid/commands",
    purpose: "queue any command",
    body: object({ type: { type: "integer", minimum: 0 }, payload: TEXT }),
    answer: ANY,
    status: 201,
  },
  {
    name: "direct",
    method: "POST",
    path: "/cards/:uid/directive",
    purpose: "queue a directive for the card: command 8",
    body: object({ action: { enum: DIRECTIVE_ACTIONS, description: "switches signing off or on" } }),
    answer: ANY,
    status: 201,
  },
  {
    name: "verifyAgain",
    method: "POST",
    path: "/cards/:uid/verify",
    purpose: "verify again every package of the card that is not verified",
    body: object({}),
    bodyOptional: true,
    answer: ANY,
  },
  {
    name: "clientCertificate",
    method: "POST",
    path: "/client-certificates",
    purpose: "a new key and certificate for a card's token: PEM, and PKCS#12 as base64",
    body: object({ uid: UID }),
    answer: ANY,
    status: 201,
  },
  {
    name: "environment",
    method: "PUT",
    path: "/environment",
    purpose: "change the environment and tax rates; every card gets commands with the changes",
    body: ENVIRONMENT_SCHEMA,
  },
  { name: "faults", method: "GET", path: "/faults", purpose: "the faults that are set", answer: ANY },
  { name: "setFaults", method: "PATCH", path: "/faults", purpose: "set some faults", body: FAULTS, answer: ANY },
  { name: "clearFaults", method: "DELETE", path: "/faults", purpose: "remove all faults" },
  { name: "expireTokens", method: "DELETE", path: "/tokens", purpose: "make every token expire now" },
] as const satisfies readonly Endpoint[];

export type AdminEndpointName = (typeof ADMIN_ENDPOINTS)[number]["name"];

/** Returns the whole path of an endpoint, with parameters in OpenAPI's form, such as `/admin/cards/{uid}`. */
export function adminPath({ path }: Pick<Endpoint, "path">): string {
  return ADMIN_PREFIX + path.replaceAll(/:(\w+)/g, "{$1}");
}
