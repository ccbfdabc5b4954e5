/** The texts of a finding: what is wrong, and what to do. */
import { fill } from "../base/fill.js";
import { toLatin } from "../fiscal/latin.js";
import type { Finding, FindingText } from "./finding.js";
import { ENGLISH } from "./texts/english.js";
import { SERBIAN } from "./texts/serbian.js";

/** @param language Serbian in Latin letters is made from the Cyrillic text */
export function findingText(language: "en" | "sr-Cyrl" | "sr-Latn", { key, values }: FindingOf): FindingText {
  const { sentence, advice, technicians }: FindingText = language === "en" ? ENGLISH[key] : SERBIAN[key];
  // The values stay as they are: a path must not change its letters.
  const write = (text: string) => fill(language === "sr-Latn" ? toLatin(text) : text, values);
  const more = technicians === undefined ? {} : { technicians: write(technicians) };
  return { sentence: write(sentence), advice: write(advice), ...more };
}

type FindingOf = Pick<Finding, "key" | "values">;

/** For the command line and the log, whose readers are technicians: their text is part of the advice. */
export function inEnglish(finding: FindingOf): Pick<FindingText, "sentence" | "advice"> {
  const { sentence, advice, technicians } = findingText("en", finding);
  return { sentence, advice: technicians === undefined ? advice : `${advice} ${technicians}` };
}
