/** Fills values into texts. */

export type Values = Readonly<Record<string, string | number>>;

/** Replaces each `{name}` with its value. */
export function fill(text: string, values: Values = {}): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}
