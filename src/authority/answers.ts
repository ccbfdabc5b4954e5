/**
 * The authority's answers (protocol facts, section 8). Property names may have any case, and unknown fields are
 * ignored. A command that cannot be read does not stop the others.
 */
import { parseTime } from "../fiscal/time.js";
import { knownNames, respelled } from "../schema/respelled.js";
import { parseJson } from "../schema/validator.js";
import { type AuthorityCommand, type PackageAnswer, UNREADABLE } from "./tax-authority.js";

/** Maximum length of an id: longer than any known id, and short enough for a log, a path and a table. */
const ID_LENGTH = 100;
/** The id becomes a segment of a path. The ids "." and ".." are refused, because they would change the path. */
const ID = /^(?!\.{0,2}$)[^\p{Cc}\p{Cs}]*$/u;
/** The largest 32-bit signed integer, which fits every store and language. */
const MOST_TYPE = 2 ** 31 - 1;
const TOKEN = /^[\x21-\x7e]+$/;
const TOKEN_LENGTH = 16_384;

const NAMES = knownNames(["token", "expiresAt", "commandId", "type", "payload", "uid", "status", "commands"], {
  expireAt: "expiresAt",
});

type AnswerFields = Readonly<Record<string, unknown>>;

/**
 * Reads a token, which is valid as the value of an HTTP header. `expiresAt` is undefined if the authority sends no time
 * in a form that we know.
 * @throws Error that says what is wrong, without repeating the body
 */
export function readToken(body: string) {
  const { token, expiresAt } = fieldsOf(parsed(body));
  if (typeof token !== "string" || token.length > TOKEN_LENGTH || !TOKEN.test(token)) {
    throw misfit("token is not a header's value");
  }
  return { token, expiresAt: typeof expiresAt === "string" ? parseTime(expiresAt) : undefined };
}

/** Reads the commands in a body. An empty body means that there are none. @throws as {@link readToken} */
export function readCommands(body: string): readonly AuthorityCommand[] {
  if (body.trim() === "") return [];
  const commands = parsed(body);
  if (commands === null) return [];
  if (!Array.isArray(commands)) throw misfit("it is not a list of commands");
  return commands.flatMap(commandOf);
}

/** Reads the answer to a package. @throws as {@link readToken} */
export function readPackageAnswer(body: string): PackageAnswer {
  const { status, commands } = fieldsOf(parsed(body));
  const number = numberOf(status);
  if (number === undefined) throw misfit("status is not an integer");
  if (commands === undefined || commands === null) return { status: number, commands: [] };
  if (!Array.isArray(commands)) throw misfit("commands is not a list");
  return { status: number, commands: commands.flatMap(commandOf) };
}

/**
 * Reads a command. If something is missing or wrong, the command gets the type {@link UNREADABLE}, so that it is
 * reported as failed. A command without an id cannot be reported, and is left out.
 */
function commandOf(sent: unknown): readonly AuthorityCommand[] {
  const { commandId: id, type, payload, uid } = typeof sent === "object" && sent !== null ? (sent as AnswerFields) : {};
  const commandId = typeof id === "number" ? String(id) : id;
  if (typeof commandId !== "string" || commandId.length > ID_LENGTH || !ID.test(commandId)) return [];
  const number = numberOf(type);
  const isUid = typeof uid === "string" && uid.length <= ID_LENGTH;
  const wrong = [
    ...(number === undefined || number < 0 || number > MOST_TYPE ? ["type"] : []),
    ...(typeof payload === "string" ? [] : ["payload"]),
    ...(isUid ? [] : ["uid"]),
  ];
  const forCard = { commandId, uid: isUid ? uid : "" };
  if (wrong.length > 0 || number === undefined || typeof payload !== "string") {
    return [{ ...forCard, type: UNREADABLE, payload: wrong.join(", ") }];
  }
  return [{ ...forCard, type: number, payload }];
}

/** Reads an integer from a number or a text, such as `7` or `"7"`; undefined if the value is not an integer. */
function numberOf(sent: unknown): number | undefined {
  const number = typeof sent === "string" && /^\d{1,10}$/.test(sent.trim()) ? Number(sent) : sent;
  return Number.isSafeInteger(number) ? (number as number) : undefined;
}

function parsed(body: string): unknown {
  try {
    // A file of commands may begin with a byte order mark, which JSON.parse refuses.
    return respelled(parseJson(body.replace(/^\uFEFF/, "")), NAMES);
  } catch (error) {
    const wrong = error instanceof RangeError ? error.message : "is not JSON";
    throw new Error(`an answer that ${wrong}`, { cause: error });
  }
}

function fieldsOf(value: unknown): AnswerFields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as AnswerFields;
  throw misfit("it is not a record");
}

function misfit(wrong: string): Error {
  return new Error(`an answer that does not fit this API: ${wrong}`);
}
