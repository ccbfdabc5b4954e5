/** Actions of the tax authority, and of the person with the stick, for scenarios and the control interface. */
import type { JsonSchema } from "../../src/schema/validator.js";
import { AUTHORITY_FAULTS_SCHEMA, type AuthorityFaults } from "../tax-authority/authority-faults.js";

const WORDS = {
  talk: "the service talks to the authority now instead of within a minute",
  "audit-now": "as `tillseal audit now`",
  "expire-tokens": "every token expires now",
  "stick-export": "as `tillseal audit export`",
  "stick-carry":
    "a person uploads the stick's files on the page of the authority, and downloads its commands to the stick",
  "stick-import": "as `tillseal audit import` without a yes: commands that change rates or addresses wait",
  confirm:
    "as `tillseal audit confirm --yes`: a person says yes to the commands that wait, and has seen the changes that were made",
} as const;

export type AuthorityWord = keyof typeof WORDS;

export type AuthorityAct =
  | AuthorityWord
  /** Queues a command for a card. Default of `uid`: the UID of the card in the reader. */
  | { readonly command: { readonly type: number; readonly payload: string; readonly uid?: string } }
  /** Environment that cards get from now on: a name in fixtures/environments, or the content of such a file. */
  | { readonly configure: string | object }
  | { readonly faults: Partial<AuthorityFaults> | "clear" };

export const AUTHORITY_WORDS = Object.keys(WORDS) as AuthorityWord[];

const one = (name: string, schema: JsonSchema): JsonSchema => ({
  type: "object",
  additionalProperties: false,
  required: [name],
  properties: { [name]: schema },
});

/** JSON Schemas of the acts that have fields. */
export const AUTHORITY_ACT_SCHEMAS: readonly JsonSchema[] = [
  one("command", {
    type: "object",
    description: "queue any command",
    additionalProperties: false,
    required: ["type", "payload"],
    properties: {
      type: { type: "integer", minimum: 0 },
      payload: { type: "string" },
      uid: { type: "string", description: "UID of the card; default: the card in the reader" },
    },
  }),
  one("configure", {
    type: ["string", "object"],
    description:
      "environment and tax rates that it sends from now on: a name in fixtures/environments, or the content of such a file",
  }),
  one("faults", {
    anyOf: [{ const: "clear" }, AUTHORITY_FAULTS_SCHEMA],
    description: "faults that the authority has from now on, or clear",
  }),
];

export const AUTHORITY_WORDS_TEXT = AUTHORITY_WORDS.map((word) => `${word}: ${WORDS[word]}`).join("; ");

/** The authority's data about the card in the reader. */
export interface AuthorityStatus {
  readonly packages: number;
  /** Number of packages with status 4. */
  readonly verified: number;
  readonly gaps: number;
  /** Numbers of proofs of audit that the card accepted and refused. */
  readonly proofs: { readonly taken: number; readonly refused: number };
  /** Number of commands that the service has not reported yet. */
  readonly waiting: number;
  /** Number of commands that the service reported as failed. */
  readonly failed: number;
  /** Names of the files on the stick. */
  readonly stick: readonly string[];
}
