/** Schemas that check what people, programs and files say, and their errors in words. */
import type { ErrorObject, ValidateFunction } from "ajv";
import { didYouMean } from "../did-you-mean.js";
import { compileNow, type JsonSchema, loadPrepared } from "./compiler.js";

export type { JsonSchema };

export interface Validator<T> {
  (value: unknown): value is T;
  /** Of the last call. */
  errors?: ValidateFunction["errors"];
}

/** One function a schema, however many worlds of one process use it; undefined until something is checked. */
const compiled = new Map<JsonSchema, ValidateFunction | undefined>();

/** Every schema that this process may check something with: what the build prepares. */
export function knownSchemas(): JsonSchema[] {
  return [...compiled.keys()];
}

/** The schema is compiled when something is checked for the first time: a command that checks nothing pays nothing. */
export function compileSchema<T>(schema: JsonSchema): Validator<T> {
  if (!compiled.has(schema)) compiled.set(schema, undefined);
  let check: ValidateFunction | undefined;
  const validate: Validator<T> = (value): value is T => {
    if (!check) {
      check = compiled.get(schema) ?? loadPrepared(schema) ?? compileNow(schema);
      compiled.set(schema, check);
    }
    const valid = check(value);
    validate.errors = check.errors;
    return valid;
  };
  return validate;
}

/** `/items/0/labels/1` becomes `items[0].labels[1]`, the way tills read it. */
export function propertyPath(instancePath: string, missing?: string): string {
  const parts = instancePath.split("/").slice(1);
  if (missing !== undefined) parts.push(missing);
  return parts
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : path === "" ? part : `${path}.${part}`), "");
}

/**
 * What a schema says for errors only. `x-expected` is what a value must be, in place of its pattern, format or type.
 * `x-renamed` has the old names of properties, each with what has become of it: `is called duration now`.
 */
interface Annotations {
  readonly description?: string;
  readonly "x-expected"?: string;
  readonly "x-renamed"?: Readonly<Record<string, string>>;
}

const annotationsOf = ({ parentSchema }: ErrorObject) => (parentSchema ?? {}) as Annotations;

/** Keywords about the form of a value. */
const FORM = ["type", "pattern", "format"];

/** `; did you mean port? Expected one of port, host` for a name that is not known, else nothing. */
export function namesInstead(error: ErrorObject): string {
  const { properties } = (error.parentSchema ?? {}) as { properties?: object };
  if (error.keyword !== "additionalProperties" || !properties) return "";
  const name = String((error.params as { additionalProperty?: unknown }).additionalProperty);
  if (renamed(error, name) !== undefined) return "";
  const names = Object.keys(properties);
  const meant = didYouMean(name, names);
  return `${meant}${meant ? " Expected" : "; expected"} one of ${names.join(", ")}`;
}

/** What has become of an old name; undefined if it never was one. */
function renamed(error: ErrorObject, name: string): string | undefined {
  const { "x-renamed": names = {} } = annotationsOf(error);
  return Object.hasOwn(names, name) ? names[name] : undefined;
}

/**
 * One line an error, for people who wrote a file: `device.serialNumber must be string`.
 * @param whole what the outermost value is called
 */
export function explainErrors(errors: readonly ErrorObject[] | null | undefined, whole = "the file"): string[] {
  // `if` only says that `then` or `else` failed, which have said so themselves.
  const telling = (errors ?? []).filter(({ keyword }) => keyword !== "if");
  const lines = telling.map((error) => {
    const { instancePath, keyword, message = "is wrong" } = error;
    const params = error.params as Record<string, unknown>;
    const where = propertyPath(instancePath) || whole;
    // Of itself a `not` cannot say what would be right; the schema that has it can.
    const { description, "x-expected": expected } = annotationsOf(error);
    if (keyword === "not" && description !== undefined) return `${where}: ${description}`;
    if (keyword === "required") return `${propertyPath(instancePath, String(params.missingProperty))} is missing`;
    if (keyword === "additionalProperties") {
      const name = String(params.additionalProperty);
      return `${propertyPath(instancePath, name)} ${renamed(error, name) ?? "is not known"}`;
    }
    if (expected !== undefined && FORM.includes(keyword)) return `${where} must be ${expected}`;
    if (keyword === "enum") {
      const allowed = params.allowedValues as unknown[];
      const texts = allowed.filter((value) => typeof value === "string");
      const meant = typeof error.data === "string" ? didYouMean(error.data, texts) : "";
      return `${where} must be one of ${allowed.join(", ")}${meant}`;
    }
    return `${where} ${message}`;
  });
  // Two rules may say the same of one value.
  return [...new Set(lines)];
}
