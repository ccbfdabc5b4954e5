/** A JSON Schema as this project writes it. In a file without imports: the kit's published types need it, and not ajv's. */
export type JsonSchema = Readonly<Record<string, unknown>>;
