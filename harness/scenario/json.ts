/** Reads JSON of another program, which may send anything. */

export type Fields = Readonly<Record<string, unknown>>;

/** @returns undefined if the text is not JSON */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns the fields of an object; none for any other value. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}
