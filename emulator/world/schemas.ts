/** JSON Schemas of requests and answers of the control interface, for validation and for the OpenAPI document. */

import { DURATION_SCHEMA, POSITIVE_DURATION_SCHEMA } from "../../src/base/duration.js";
import { LONGEST_TEXT } from "../../src/http/traffic/traffic-filter.js";
import { objectSchema, textLike } from "../../src/schema/json-schema.js";
import { TIME_SCHEMA as TIME } from "../../src/schema/time-schema.js";
import type { JsonSchema } from "../../src/schema/validator.js";
import { PAIR_LETTERS } from "../card/pair-letters.js";
import { PROFILE_SCHEMA } from "../card/profile.js";
import { FAULT_SCHEMA, MATCHED, REQUEST_FIELDS } from "../faults/fault-schema.js";
import { VSDC_FAULTS, VSDC_FAULTS_SCHEMA } from "../tax-authority/authority-faults.js";
import { CARD_FIELDS } from "./given.js";

const TEXT = { type: "string" };
const NUMBER_TEXT = textLike("^\\d{1,15}$", "a number of up to 15 digits");
const COUNT = { type: "integer", minimum: 0 };
const BOOLEAN = { type: "boolean" };
const DECIMAL = textLike("^-?\\d+(\\.\\d{1,4})?$", 'an amount as text, such as "1500.5"');
const list = (items: unknown) => ({ type: "array", items });

export const NO_BODY: JsonSchema = objectSchema({});

export const CARD_PATCH: JsonSchema = {
  ...objectSchema(
    {
      pinTriesLeft: { ...(CARD_FIELDS.pinTriesLeft as object), description: "0 locks the card" },
      locked: { type: "boolean", description: "true: no attempts left; false: all attempts" },
      disabled: CARD_FIELDS.disabled,
      sum: CARD_FIELDS.sum,
      limit: CARD_FIELDS.limit,
      counters: CARD_FIELDS.counters,
    },
    [],
  ),
  minProperties: 1,
};

export const CARD_NAME = { ...TEXT, minLength: 1, description: "`main`, or a name of `otherCards`" };
export const AUTHORITY: JsonSchema = objectSchema({
  url: { type: ["string", "null"], description: "null if there is none" },
  standing: {
    anyOf: [
      objectSchema({
        packages: COUNT,
        verified: { ...COUNT, description: "packages with status 4" },
        gaps: COUNT,
        proofs: objectSchema({ taken: COUNT, refused: COUNT }),
        waiting: { ...COUNT, description: "commands that are not reported yet" },
        failed: { ...COUNT, description: "commands that were reported as failed" },
        stick: list(TEXT),
      }),
      { type: "null" },
    ],
  },
});
export const VSDC: JsonSchema = objectSchema({
  url: { ...TEXT, description: "address, without /api/v3" },
  uid: { ...TEXT, description: "UID of the client certificate, that of the card in the reader or of the last one" },
  pac: { ...TEXT, description: "value of the header PAC" },
  certificate: { ...TEXT, description: "client certificate, PEM" },
  key: { ...TEXT, description: "its key, PEM" },
  passphrase: { ...TEXT, description: "of the PFX file" },
  ca: { ...TEXT, description: "certificate of the authority that signed the server's certificate, PEM" },
  faults: {
    ...VSDC_FAULTS_SCHEMA,
    required: Object.keys(VSDC_FAULTS),
    description: "what goes wrong there now",
  },
});
export const VSDC_PATCH: JsonSchema = { ...VSDC_FAULTS_SCHEMA, minProperties: 1 };
export const STORE: JsonSchema = objectSchema({
  complete: COUNT,
  open: { ...COUNT, description: "sent to the card and not signed yet" },
  lost: { ...COUNT, description: "counted by the card, their signature lost" },
  keptIn: { type: ["string", "null"], description: "folder that is kept after the process; null for temporary data" },
});
export const RESET: JsonSchema = objectSchema(
  { toFirst: { ...BOOLEAN, description: "as the service was started, not as the last `given` says" } },
  [],
);

const TAXPAYER_FIELDS = Object.keys(PROFILE_SCHEMA.properties.taxpayer.properties);
export const CARD: JsonSchema = objectSchema({
  reader: { enum: ["plugged", "unplugged"] },
  inserted: { ...BOOLEAN, description: "whether the card is in the reader; otherwise it was the last one in it" },
  name: TEXT,
  uid: TEXT,
  taxpayer: objectSchema(Object.fromEntries(TAXPAYER_FIELDS.map((name) => [name, TEXT]))),
  pin: {
    enum: ["required", "verified", "locked", "no-card", "unreachable", "unsupported"],
    description: "the service's PIN state, or why it has no card; for a published card the card's own state",
  },
  pinTriesLeft: COUNT,
  counters: objectSchema({ total: COUNT, ...Object.fromEntries(PAIR_LETTERS.map((letters) => [letters, COUNT])) }),
  sum: { ...DECIMAL, description: "signed since the last audit" },
  limit: { ...DECIMAL, description: "the sum that needs an audit" },
  disabled: { ...BOOLEAN, description: "signing disabled by the authority" },
  appletVersion: TEXT,
  cards: { ...list(TEXT), description: "names of all cards of this world" },
});

export const FAULT_SET: JsonSchema = {
  ...FAULT_SCHEMA,
  required: ["id", "on", "kind", "seen", "struck"],
  properties: {
    ...FAULT_SCHEMA.properties,
    id: COUNT,
    seen: { ...COUNT, description: "how often its operation has occurred since it was set" },
    struck: { ...COUNT, description: "how often it has struck" },
  },
};
export const FAULT_SETS: JsonSchema = list(FAULT_SET);
export const FAULT_ID: JsonSchema = objectSchema({ id: NUMBER_TEXT });

export const CLOCK: JsonSchema = objectSchema({ at: TIME, ticking: BOOLEAN });
export const CLOCK_PATCH: JsonSchema = {
  ...objectSchema(
    {
      at: { ...TIME, description: "the new time" },
      advance: { ...DURATION_SCHEMA, description: "such as 1h30m, or backwards with a minus; applied after `at`" },
      ticking: { ...BOOLEAN, description: "whether it ticks" },
    },
    [],
  ),
  minProperties: 1,
  "x-expected": "at, advance or ticking, such as { advance: 1h30m } or { ticking: false }",
};

export const QUEUED_COMMAND: JsonSchema = objectSchema(
  {
    type: COUNT,
    payload: TEXT,
    uid: { ...TEXT, description: "UID of the card; default: the card in the reader" },
  },
  ["type", "payload"],
);

export const SNAPSHOT_NAMES: JsonSchema = list(TEXT);
export const NAME: JsonSchema = objectSchema({
  name: textLike("^[A-Za-z0-9._-]{1,64}$", "1 to 64 letters of ASCII, digits and the characters . _ -"),
});

export const REHEARSAL_PART: JsonSchema = objectSchema({ since: NUMBER_TEXT }, []);
export const TRAFFIC_PART: JsonSchema = objectSchema(
  {
    since: { ...NUMBER_TEXT, description: "only entries after this id" },
    before: { ...NUMBER_TEXT, description: "only entries before this id" },
    last: { ...NUMBER_TEXT, description: "maximum number of entries, the newest" },
    text: {
      ...TEXT,
      maxLength: LONGEST_TEXT,
      description: "only entries with all of these words in method, path, status, code, counter or RequestId",
    },
    failed: { ...TEXT, enum: ["true", "false"], description: "`true`: only refused or interrupted requests" },
  },
  [],
);
export const REQUEST_FILTER: JsonSchema = objectSchema(
  {
    online: MATCHED("whether it went to the online service"),
    ...REQUEST_FIELDS,
    status: MATCHED("HTTP status, 0 if the connection broke"),
    code: MATCHED("code of the error record or of the PIN, or null"),
    answer: MATCHED("the body of the answer, also if it did not arrive"),
    signed: MATCHED("whether an invoice was signed for it; a repeat was not"),
  },
  [],
);
export const FIND_REQUESTS: JsonSchema = objectSchema(
  {
    where: { ...REQUEST_FILTER, description: "fields that a request must have; default: every request" },
    nth: { type: "integer", minimum: 1, description: "wait until this number of requests match and are answered" },
    within: { ...POSITIVE_DURATION_SCHEMA, description: "maximum wait in real time, up to 10m; default: 5s" },
  },
  [],
);
export const FOUND_REQUESTS: JsonSchema = objectSchema({
  count: { ...COUNT, description: "number of all matches" },
  requests: list(
    objectSchema({
      id: COUNT,
      at: TIME,
      online: BOOLEAN,
      method: TEXT,
      path: TEXT,
      requestId: { type: ["string", "null"] },
      body: {},
      invoice: {},
      status: COUNT,
      code: { type: ["string", "null"] },
      answer: {},
      signed: BOOLEAN,
    }),
  ),
});
export const SCENARIOS: JsonSchema = list(
  objectSchema(
    {
      name: { ...TEXT, description: "of its file, as `serve --scenario` takes it" },
      title: TEXT,
      serbian: { type: "object", description: "the texts in Serbian" },
      about: { ...TEXT, description: "what happens" },
      todo: { ...TEXT, description: "what a person does with the POS" },
      rows: { ...list(TEXT), description: "rows of the rehearsal" },
      given: { type: "object", description: "as `POST /control/given` takes it" },
      inOrder: { ...list({ type: "object" }), description: "as `POST /control/rehearsal/situation` takes it" },
      driven: { type: "boolean", description: "whether a running world can be put into it" },
    },
    ["name", "title", "given", "driven"],
  ),
);
export const RECORDING: JsonSchema = objectSchema({
  name: { ...TEXT, description: "for a file" },
  scenario: { ...TEXT, description: "YAML" },
});
const HEADERS = { type: "object" };
const TRAFFIC_ENTRY = {
  id: COUNT,
  at: { ...TIME, description: "on the emulated clock" },
  ms: { type: "number", description: "how long the POS waited, in ms" },
  method: TEXT,
  path: TEXT,
  headers: HEADERS,
  body: TEXT,
  status: { ...COUNT, description: "0 until answered, or if the connection broke" },
  answerHeaders: HEADERS,
  answer: TEXT,
  apdus: list(
    objectSchema({ operation: TEXT, command: TEXT, answer: TEXT, result: TEXT }, ["operation", "command", "result"]),
  ),
  steps: list(
    objectSchema({
      kind: { ...TEXT, description: "`body`, `disk` or `card`; those of the card are in the order of `apdus`" },
      from: { type: "number", description: "ms since the request came" },
      ms: { type: "number" },
    }),
  ),
};
const ONLINE = { const: true, description: "the request went to the online service; otherwise missing" };
const NOTES = { ...list(TEXT), description: "what the POS should change, although a service must accept it" };
const LOGGED = objectSchema({ ...TRAFFIC_ENTRY, online: ONLINE, notes: NOTES }, Object.keys(TRAFFIC_ENTRY));
export const TRAFFIC: JsonSchema = list(LOGGED);

export const DOCUMENT: JsonSchema = { type: "object", required: ["openapi", "paths"] };

const PATH: JsonSchema = {
  ...list({ type: ["string", "integer"] }),
  description: "leads to the impossible value of a `given`",
};
export const ERROR: JsonSchema = objectSchema({ message: TEXT, details: list(TEXT), code: TEXT, path: PATH }, [
  "message",
  "details",
]);
