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

/** Returns the codes of an answer: the one that it is, or those in its fields `code`, `gsc` and `modelState`. */
export function codesIn(text: string): string[] {
  const alone = /^\W*(\d{4})\W*$/.exec(text)?.[1];
  if (alone !== undefined) return [alone];
  const { code, gsc, modelState } = fieldsOf(jsonIn(text));
  const errors = [modelState].flat().map((entry) => fieldsOf(entry).errors);
  return [code, gsc, errors].flat(2).filter((one) => typeof one === "string" && /^\d{4}$/.test(one)) as string[];
}
