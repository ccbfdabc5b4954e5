/**
 * A JSON Schema as this project writes it. This file has no imports, because the published types of the kit need this
 * file without ajv.
 */
export type JsonSchema = Readonly<Record<string, unknown>>;
