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

/** `; did you mean port? Expected one of port, host` for a name that is not known, else nothing. */
export function namesInstead({ keyword, parentSchema, params }: ErrorObject): string {
  const { properties } = (parentSchema ?? {}) as { properties?: object };
  if (keyword !== "additionalProperties" || !properties) return "";
  const names = Object.keys(properties);
  const meant = didYouMean(String((params as { additionalProperty?: unknown }).additionalProperty), names);
  return `${meant}${meant ? " Expected" : "; expected"} one of ${names.join(", ")}`;
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
    const { description } = (error.parentSchema ?? {}) as { description?: string };
    if (keyword === "not" && description !== undefined) return `${where}: ${description}`;
    if (keyword === "required") return `${propertyPath(instancePath, String(params.missingProperty))} is missing`;
    if (keyword === "additionalProperties") {
      return `${propertyPath(instancePath, String(params.additionalProperty))} is not known`;
    }
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
