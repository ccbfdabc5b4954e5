/** One text in English and in Cyrillic Serbian; Latin Serbian is made from the Cyrillic text. */
import { toLatin } from "../../../fiscal/latin.js";

export interface Pair {
  readonly english: string;
  readonly serbian: string;
}

export function pairIn(language: "en" | "sr-Cyrl" | "sr-Latn", { english, serbian }: Pair): string {
  if (language === "en") return english;
  return language === "sr-Cyrl" ? serbian : toLatin(serbian);
}
