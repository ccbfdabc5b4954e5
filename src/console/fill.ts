/** Texts with places in them. */
import { ENGLISH } from "./web/texts/english.js";

export type Values = Readonly<Record<string, string | number>>;

/** Puts a value in the place of each `{name}`. */
export function fill(text: string, values: Values = {}): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}

/** What the console says in English: commands say the same. */
export function inEnglish(key: keyof typeof ENGLISH, values?: Values): string {
  return fill(ENGLISH[key], values);
}
