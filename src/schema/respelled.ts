/**
 * Corrects the case of property names. Authorities are .NET programs, which accept and send names in any case (protocol
 * facts, section 8).
 */

/** Number of levels of a value whose names are corrected. No answer of an authority has more levels. */
const DEEPEST = 8;

/** Maps each spelling, in lower case, to the known name. */
type KnownNames = ReadonlyMap<string, string>;

/** @param aliases other names, each with its known name: `{ taxCoreApi: "taxAuthorityApi" }` */
export function knownNames(names: readonly string[], aliases: Readonly<Record<string, string>> = {}): KnownNames {
  const all = [...Object.entries(aliases), ...names.map((name): [string, string] => [name, name])];
  return new Map(all.map(([spelling, name]) => [spelling.toLowerCase(), name]));
}

/**
 * Returns a copy whose properties have the known names. Unknown properties keep their names. If a property comes in
 * several spellings, the copy has the value with the known spelling, or else the first value.
 */
export function respelled(value: unknown, names: KnownNames, level = 0): unknown {
  if (level > DEEPEST || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => respelled(item, names, level + 1));
  const properties = new Map<string, unknown>();
  for (const [name, content] of Object.entries(value)) {
    const known = names.get(name.toLowerCase()) ?? name;
    if (name === known || !properties.has(known)) properties.set(known, respelled(content, names, level + 1));
  }
  return Object.fromEntries(properties);
}
