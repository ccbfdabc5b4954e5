/** The texts of a finding: what is wrong, and what to do. */
import { fill } from "../base/fill.js";
import { toLatin } from "../fiscal/latin.js";
import type { Finding } from "./finding.js";
import { ENGLISH } from "./texts/english.js";
import { SERBIAN } from "./texts/serbian.js";

export interface FindingText {
  readonly sentence: string;
  readonly advice: string;
}

/** @param language Serbian in Latin letters is made from the Cyrillic text */
export function findingText(language: "en" | "sr-Cyrl" | "sr-Latn", { key, values }: FindingOf): FindingText {
  const { sentence, advice } = language === "en" ? ENGLISH[key] : SERBIAN[key];
  // The values stay as they are: a path must not change its letters.
  const write = (text: string) => fill(language === "sr-Latn" ? toLatin(text) : text, values);
  return { sentence: write(sentence), advice: write(advice) };
}

type FindingOf = Pick<Finding, "key" | "values">;

export function inEnglish(finding: FindingOf): FindingText {
  return findingText("en", finding);
}
