import { fill, type Values } from "../base/fill.js";
import { ENGLISH } from "./web/texts/english.js";

/** The console's English texts, which commands print too. */
export function inEnglish(key: keyof typeof ENGLISH, values?: Values): string {
  return fill(ENGLISH[key], values);
}
