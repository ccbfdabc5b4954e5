/** Limits the values of a text from outside: a parser and a schema need time for each, and nothing else runs meanwhile. */

/** Maximum number of values in a text from outside. Texts that may have more have a limit of their own. */
export const MOST_VALUES = 16_000;

export const tooManyValues = (most: number) => `has more than ${most} values`;

/**
 * Measures a JSON text, which need not be valid: how deep its brackets are nested, because a parser would run out of
 * stack, and the commas outside strings, because a parser needs time for each value.
 */
export function jsonSize(text: string): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (inString) {
      if (char === "\\") i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === ",") values++;
    else if (char === "{" || char === "[") deepest = Math.max(deepest, ++depth);
    else if (char === "}" || char === "]") depth--;
  }
  return { depth: deepest, values };
}

/** Parses JSON. @throws RangeError if it has too many values, SyntaxError if it is not JSON */
export function parseJson(text: string, most = MOST_VALUES): unknown {
  if (jsonSize(text).values > most) throw new RangeError(tooManyValues(most));
  return JSON.parse(text);
}

/** Whether a parsed text has more values than the limit. It stops counting there. */
export function hasMoreValues(content: unknown, most: number): boolean {
  const open = [content];
  for (let count = 1; open.length > 0; ) {
    const value = open.pop();
    if (typeof value !== "object" || value === null) continue;
    const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    count += inner.length;
    if (count > most) return true;
    for (const one of inner) open.push(one);
  }
  return false;
}
