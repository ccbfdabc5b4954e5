/** Validates input from people, programs and files, and explains errors. */
import type { ErrorObject, ValidateFunction } from "ajv";
import { count } from "../base/count.js";
import { didYouMean } from "../base/did-you-mean.js";
import { pathText, type ValuePath, type WrongValue } from "../base/wrong-value.js";
import { compileNow, type JsonSchema, loadPrepared } from "./compiler.js";

export type { JsonSchema };

/**
 * Maximum number of values in a text from outside: a parser and a schema need time for each, and nothing else runs
 * meanwhile. Texts that may have more have a limit of their own.
 */
export const MOST_VALUES = 8_000;

/**
 * Maximum number of values of a command's payload, and of a file with settings, an environment or a card: 25 times as
 * many as the largest real one has.
 */
export const MOST_FILE_VALUES = 4_000;

export const tooManyValues = (most: number) => `has more than ${most} values`;

/**
 * Measures a JSON text, which need not be valid: how deep its brackets are nested, because a parser would run out of
 * stack, and the commas outside strings, because a parser needs time for each value.
 */
export function jsonSize(text: string): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === "\\") i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === ",") values++;
    else if (char === "{" || char === "[") deepest = Math.max(deepest, ++depth);
    else if (char === "}" || char === "]") depth--;
  }
  return { depth: deepest, values };
}

/** Parses JSON. @throws RangeError if it has too many values, SyntaxError if it is not JSON */
export function parseJson(text: string, most = MOST_VALUES): unknown {
  if (jsonSize(text).values > most) throw new RangeError(tooManyValues(most));
  return JSON.parse(text);
}

/** Whether a parsed text has more values than the limit. It stops counting there. */
export function hasMoreValues(content: unknown, most: number): boolean {
  const open = [content];
  for (let count = 1; open.length > 0; ) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    count += inner.length;
    if (count > most) return true;
    for (const one of inner) open.push(one);
  }
  return false;
}

export interface Validator<T> {
  (value: unknown): value is T;
  /** Errors of the last call. */
  errors?: ValidateFunction["errors"];
}

/** Validation code of each schema, compiled once in a process; undefined until the schema is first used. */
const compiled = new Map<JsonSchema, ValidateFunction | undefined>();

/** Returns all schemas of this process, which the build prepares. */
export function knownSchemas(): JsonSchema[] {
  return [...compiled.keys()];
}

/**
 * Compiles the schema on first use, so that commands without validation stay fast.
 * @param most maximum number of values; more are one error, before the schema checks any of them
 */
export function compileSchema<T>(schema: JsonSchema, most = MOST_VALUES): Validator<T> {
  if (!compiled.has(schema)) compiled.set(schema, undefined);
  const validate: Validator<T> = (value): value is T => {
    if (most < Number.POSITIVE_INFINITY && hasMoreValues(value, most)) {
      const error = { instancePath: "", schemaPath: "", keyword: "values", params: {}, message: tooManyValues(most) };
      validate.errors = [error];
      return false;
    }
    const check = compiled.get(schema) ?? loadPrepared(schema) ?? compileNow(schema);
    compiled.set(schema, check);
    const valid = check(value);
    validate.errors = check.errors;
    return valid;
  };
  return validate;
}

/** The path of the value that an error is about, which may be missing or not known. */
export function pathOf({ instancePath, keyword, params }: ErrorObject): ValuePath {
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
  const parts = instancePath
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  const last = keyword === "required" ? missingProperty : additionalProperty;
  return [...parts, ...(last === undefined ? [] : [last])].map((part) =>
    /^\d{1,9}$/.test(part) ? Number(part) : part,
  );
}

/** Annotations for error texts. `x-expected` describes a valid value, instead of its pattern, format or type. */
interface Annotations {
  readonly description?: string;
  readonly "x-expected"?: string;
  readonly properties?: object;
}

/** Keywords about the form of a value. */
const FORM = ["type", "pattern", "format", "oneOf"];

/** What ajv says of a list or a record with too few or too many entries. */
const SIZE = /must NOT have (fewer|more) than (\d+) (?:items|properties)/;

function sizeInWords(_text: string, way: string, limit: string): string {
  return `must have at ${way === "fewer" ? "least" : "most"} ${count(Number(limit), "entry", "entries")}`;
}

/** The known names after an unknown one, such as `; did you mean port? Expected one of port, host`. */
function namesInstead(name: string, names: readonly string[]): string {
  const meant = didYouMean(name, names);
  return `${meant}${meant ? " Expected" : "; expected"} one of ${names.join(", ")}`;
}

const MOST_EXPLAINED = 100;

/** The errors that are explained. An `if` only repeats that `then` or `else` failed. */
export function tellingErrors(errors: readonly ErrorObject[] | null | undefined): readonly ErrorObject[] {
  return (errors ?? []).filter(({ keyword }) => keyword !== "if").slice(0, MOST_EXPLAINED);
}

/** One line for each error, as {@link wrongIn} says it. */
export function explainErrors(...args: Parameters<typeof wrongIn>): string[] {
  return wrongIn(...args).map(({ says }) => says);
}

/**
 * Explains each error to people who wrote a file, such as `device.serialNumber must be string`.
 * @param whole name of the outermost value
 * @param instead "names" adds the known names after each unknown one
 */
export function wrongIn(
  errors: readonly ErrorObject[] | null | undefined,
  whole = "the file",
  instead?: "names",
): WrongValue[] {
  const sentenceOf = (error: ErrorObject) => {
    const { keyword, message = "is wrong" } = error;
    const params = error.params as Record<string, unknown>;
    const where = pathText(pathOf(error)) || whole;
    // An error of `not` does not say what is expected, so use the description of its schema.
    const { description, "x-expected": expected, properties } = (error.parentSchema ?? {}) as Annotations;
    if (keyword === "not" && description !== undefined) return `${where}: ${description}`;
    if (keyword === "required") return `${where} is missing`;
    if (keyword === "additionalProperties") {
      const name = String(params.additionalProperty);
      return `${where} is not known${instead && properties ? namesInstead(name, Object.keys(properties)) : ""}`;
    }
    if (expected !== undefined && FORM.includes(keyword)) return `${where} must be ${expected}`;
    if (keyword === "enum") {
      const allowed = params.allowedValues as unknown[];
      const texts = allowed.filter((value) => typeof value === "string");
      const meant = typeof error.data === "string" ? didYouMean(error.data, texts) : "";
      return `${where}${meant && ` is ${JSON.stringify(error.data)}${meant} It`} must be one of ${allowed.join(", ")}`;
    }
    return `${where} ${message.replace(SIZE, sizeInWords)}`;
  };
  return byCause(tellingErrors(errors).map((error) => ({ path: pathOf(error), says: sentenceOf(error) })));
}

const CAUSES = [/; did you mean/, / is not known/, /(?:)/];

/** Each sentence once, because two rules may give the same. What was mistyped is the first cause of others. */
function byCause(wrong: readonly WrongValue[]): WrongValue[] {
  const rankOf = ({ says }: WrongValue) => CAUSES.findIndex((cause) => cause.test(says));
  const once = [...new Map(wrong.map((one) => [one.says, one])).values()];
  return once.toSorted((one, other) => rankOf(one) - rankOf(other));
}
