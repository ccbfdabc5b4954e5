import { ENGLISH } from "./web/texts/english.js";

export type Values = Readonly<Record<string, string | number>>;

/** Replaces each `{name}` with its value. */
export function fill(text: string, values: Values = {}): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}

/** The console's English texts, which commands print too. */
export function inEnglish(key: keyof typeof ENGLISH, values?: Values): string {
  return fill(ENGLISH[key], values);
}
