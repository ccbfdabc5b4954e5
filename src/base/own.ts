/** The value of an object's own key. A plain `from[key]` finds inherited values, such as the function `constructor`. */
export function own<T>(from: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(from, key) ? from[key] : undefined;
}
