/** Gives equal requests equal texts, in any order of their fields. The store keeps the hash of this text. */

/**
 * Returns JSON with the fields of each object in the order of their names. The JSON has amounts as texts that end in
 * `n`, and does not have fields without a value.
 * @param value consists of texts, numbers, flags, bigints, arrays and plain objects
 */
export function sortedJson(value: unknown): string {
  if (typeof value === "bigint") return `"${value}n"`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(",")}]`;
  let fields = "";
  for (const name of Object.keys(value).sort()) {
    const field = (value as Readonly<Record<string, unknown>>)[name];
    if (field !== undefined) fields += `${fields && ","}${JSON.stringify(name)}:${sortedJson(field)}`;
  }
  return `{${fields}}`;
}
