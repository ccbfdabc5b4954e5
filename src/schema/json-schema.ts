/** A JSON Schema as this project writes it. This file has no imports, because the kit's published types need it without ajv. */
export type JsonSchema = Readonly<Record<string, unknown>>;
