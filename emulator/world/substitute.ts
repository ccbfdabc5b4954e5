/** Replaces each ${name} in a scenario by its value from a case or from an earlier answer. */

const WHOLE = /^\$\{([A-Za-z]\w*)\}$/;
const INSIDE = /\$\{([A-Za-z]\w*)\}/g;

/**
 * Returns a copy in which a value replaces each known ${name}. If a text consists only of ${name}, the value keeps its
 * type. Unknown names stay for a later pass.
 */
export function substitute(value: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === "string") return inText(value, values);
  if (Array.isArray(value)) return value.map((entry) => substitute(entry, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, entry]) => [String(inText(key, values)), substitute(entry, values)]),
  );
}

function inText(text: string, values: Readonly<Record<string, unknown>>): unknown {
  const whole = WHOLE.exec(text)?.[1];
  if (whole !== undefined && Object.hasOwn(values, whole)) return values[whole];
  return text.replace(INSIDE, (all, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : all));
}

/** Returns the first name that has no value, and its place. A scenario must not send a misspelt name. */
export function unresolvedPlace(
  value: unknown,
  path: readonly (string | number)[] = [],
): { readonly name: string; readonly path: readonly (string | number)[] } | undefined {
  if (typeof value === "string") {
    const name = new RegExp(INSIDE.source).exec(value)?.[1];
    return name === undefined ? undefined : { name, path };
  }
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, entry] of Object.entries(value)) {
    const here = [...path, Array.isArray(value) ? Number(key) : key];
    const unresolved = unresolvedPlace(key, here) ?? unresolvedPlace(entry, here);
    if (unresolved) return unresolved;
  }
  return undefined;
}
