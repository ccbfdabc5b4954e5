import { fill, type Values } from "../base/fill.js";
import { ENGLISH } from "./web/texts/english.js";

/** Returns one of the console's English texts, because commands print these texts too. */
export function inEnglish(key: keyof typeof ENGLISH, values?: Values): string {
  return fill(ENGLISH[key], values);
}
