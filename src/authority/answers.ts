/** The authority's answers (protocol facts, section 8). Unknown fields are ignored. */
import { TIME_SCHEMA } from "../schema/time-schema.js";
import { compileSchema, explainErrors, type JsonSchema, type Validator } from "../schema/validator.js";
import type { AuthorityCommand, PackageAnswer } from "./tax-authority.js";

export interface TokenAnswer {
  /** Valid as a header's value. */
  readonly token: string;
  /** ISO 8601. */
  readonly expiresAt: string;
}

/** Longer than any known id, and short enough for a log, a path and a table. */
const ID_LENGTH = 100;
/** Largest 32-bit signed integer: fits every store and language. */
const MOST_TYPE = 2 ** 31 - 1;
const TOKEN_LENGTH = 16_384;
/** Number of wrong fields that an error names. */
const SHOWN = 3;

const COMMANDS: JsonSchema = {
  type: "array",
  items: {
    type: "object",
    required: ["commandId", "type", "payload", "uid"],
    properties: {
      // The id becomes a path segment: "." and ".." would lead elsewhere.
      commandId: { type: "string", maxLength: ID_LENGTH, pattern: "^(?!\\.{0,2}$)[^\\p{Cc}\\p{Cs}]*$" },
      type: { type: "integer", minimum: 0, maximum: MOST_TYPE },
      payload: { type: "string" },
      uid: { type: "string", maxLength: ID_LENGTH },
    },
  },
};

const commands = compileSchema<AuthorityCommand[]>(COMMANDS);
const packageAnswer = compileSchema<{ status: number; commands?: AuthorityCommand[] | null }>({
  type: "object",
  required: ["status"],
  properties: { status: { type: "integer" }, commands: { anyOf: [COMMANDS, { type: "null" }] } },
});
const token = compileSchema<TokenAnswer>({
  type: "object",
  required: ["token", "expiresAt"],
  properties: {
    token: { type: "string", pattern: "^[\\x21-\\x7e]+$", maxLength: TOKEN_LENGTH },
    expiresAt: TIME_SCHEMA,
  },
});

/** Whether a value is a list of commands, from the network or from a stick. */
export const isCommandList = (value: unknown): value is readonly AuthorityCommand[] => commands(value);

/** Each of these throws an Error that says what is wrong, without repeating the body. */
export const readToken = (body: string): TokenAnswer => read(body, token);

/** An empty body means no commands. */
export function readCommands(body: string): readonly AuthorityCommand[] {
  return body.trim() === "" || body.trim() === "null" ? [] : read(body, commands).map(commandOf);
}

export function readPackageAnswer(body: string): PackageAnswer {
  const answer = read(body, packageAnswer);
  return { status: answer.status, commands: (answer.commands ?? []).map(commandOf) };
}

const commandOf = ({ commandId, type, payload, uid }: AuthorityCommand): AuthorityCommand => ({
  commandId,
  type,
  payload,
  uid,
});

function read<T>(body: string, validate: Validator<T>): T {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Error("an answer that is not JSON");
  }
  if (validate(value)) return value;
  const wrong = explainErrors(validate.errors, "the answer").slice(0, SHOWN).join(", ");
  throw new Error(`an answer that does not fit this API: ${wrong}`);
}
