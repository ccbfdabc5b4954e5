/**
 * A JSON Schema as this project writes it. This file has no imports, because the published types of the kit need this
 * file without ajv.
 */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Schema of a text. @param expected what the pattern asks for, in words */
export const textLike = (pattern: string, expected: string) =>
  ({ type: "string", pattern, "x-expected": expected }) as const;

/** Schema of an object with exactly these properties. @param required names of those that must be there. Default: all */
export const objectSchema = (properties: JsonSchema, required: readonly string[] = Object.keys(properties)) => ({
  type: "object",
  additionalProperties: false,
  required,
  properties,
});

/** Schema of an object with some of these properties. @param required names of those that must be there. Default: none */
export const describedSchema = (description: string, properties: JsonSchema, required: readonly string[] = []) => ({
  type: "object",
  additionalProperties: false,
  description,
  ...(required.length === 0 ? {} : { required }),
  properties,
});
