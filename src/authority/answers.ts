/** What the authority may answer (protocol facts, section 8). Fields that are not known are ignored. */
import { TIME_SCHEMA } from "../schema/time-schema.js";
import { compileSchema, explainErrors, type JsonSchema, type Validator } from "../schema/validator.js";
import type { AuthorityCommand, PackageAnswer } from "./tax-authority.js";

export interface TokenAnswer {
  /** Fits into a header. */
  readonly token: string;
  /** A time. */
  readonly expiresAt: string;
}

/** Far above what was seen, and short enough for a log, a path and a table. */
const ID_LENGTH = 100;
/** What every store and every language can hold. */
const MOST_TYPE = 2 ** 31 - 1;
const TOKEN_LENGTH = 16_384;
/** Wrong fields that an error names. */
const SHOWN = 3;

const COMMANDS: JsonSchema = {
  type: "array",
  items: {
    type: "object",
    required: ["commandId", "type", "payload", "uid"],
    properties: {
      // It becomes a segment of a path, and those two lead elsewhere.
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

/** Whether it is what an authority sends, over the network or on a stick. */
export const isCommandList = (value: unknown): value is readonly AuthorityCommand[] => commands(value);

/** Each throws an Error that says what is wrong, and never what the body holds. */
export const readToken = (body: string): TokenAnswer => read(body, token);

/** No body is no command. */
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
    throw new Error("an answer that is no JSON");
  }
  if (validate(value)) return value;
  const wrong = explainErrors(validate.errors, "the answer").slice(0, SHOWN).join(", ");
  throw new Error(`an answer that this API does not give: ${wrong}`);
}
