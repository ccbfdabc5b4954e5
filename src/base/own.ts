/**
 * Returns the value that an object has under a key from outside; undefined if there is none. A plain `from[key]` would
 * find inherited values, such as the function `constructor`.
 */
export function own<T>(from: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(from, key) ? from[key] : undefined;
}
