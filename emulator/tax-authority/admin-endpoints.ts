/** The endpoints of the emulated authority's admin interface, for the router and for docs/authority-api.md. */

import { ENVIRONMENT_SCHEMA } from "../../src/config/environment-schema.js";
import { endpoint } from "../../src/http/endpoint.js";
import { objectSchema, textLike } from "../../src/schema/json-schema.js";
import { DIRECTIVE_ACTIONS } from "../pki/audit.js";
import { AUTHORITY_FAULTS_SCHEMA } from "./authority-faults.js";

export const ADMIN_PREFIX = "/admin";

const TEXT = { type: "string" };
const COUNTER = { type: "integer", minimum: 0, maximum: 0xffffffff };
const AMOUNT = { ...textLike("^\\d{1,12}(\\.\\d{1,4})?$", "decimal text"), description: "decimal text" };
const UID = textLike("^[\\x21-\\x7e]{8}$", "the UID of a card, 8 characters");

const START = objectSchema({ counter: COUNTER, sum: AMOUNT });

export const ADMIN_ENDPOINTS = [
  endpoint("cards", "GET /cards", "every registered card and its state"),
  endpoint(
    "register",
    "POST /cards",
    "register a card by its certificate (PEM). `start` gives its counter and sum at that time: invoices up to that counter are not expected",
    { body: objectSchema({ certificate: TEXT, start: START }, ["certificate"]), status: 201 },
  ),
  endpoint("card", "GET /cards/:uid", "one card, with its commands, proofs and gaps"),
  endpoint("packages", "GET /cards/:uid/packages", "its packages, each with status and findings"),
  endpoint("patchCard", "PATCH /cards/:uid", "revoke its certificate from now on, or undo that", {
    body: objectSchema({ revoked: { type: "boolean" } }),
  }),
  endpoint(
    "explain",
    "POST /cards/:uid/explained",
    "accept counters whose package is missing or not verified, so that the card can be audited",
    { body: objectSchema({ from: COUNTER, to: COUNTER, reason: { ...TEXT, minLength: 1 } }) },
  ),
  endpoint("command", "POST /cards/:uid/commands", "queue any command", {
    body: objectSchema({ type: { type: "integer", minimum: 0 }, payload: TEXT }),
    status: 201,
  }),
  endpoint("direct", "POST /cards/:uid/directive", "queue a directive for the card: command 8", {
    body: objectSchema({ action: { enum: DIRECTIVE_ACTIONS, description: "switches signing off or on" } }),
    status: 201,
  }),
  endpoint("verifyAgain", "POST /cards/:uid/verify", "verify again every package of the card that is not verified", {
    body: objectSchema({}),
    bodyOptional: true,
  }),
  endpoint(
    "clientCertificate",
    "POST /client-certificates",
    "a new key and certificate for a card's token: PEM, and PKCS#12 as base64",
    { body: objectSchema({ uid: UID }), status: 201 },
  ),
  endpoint(
    "environment",
    "PUT /environment",
    "change the environment and tax rates; every card gets commands with the changes",
    { body: ENVIRONMENT_SCHEMA },
  ),
  endpoint("faults", "GET /faults", "the faults that are set"),
  endpoint("setFaults", "PATCH /faults", "set some faults", { body: AUTHORITY_FAULTS_SCHEMA }),
  endpoint("clearFaults", "DELETE /faults", "remove all faults"),
  endpoint("expireTokens", "DELETE /tokens", "make every token expire now"),
];

export type AdminEndpointName = (typeof ADMIN_ENDPOINTS)[number]["name"];
