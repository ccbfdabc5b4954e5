/** Writes the texts of a finding: what is wrong, and what to do. */
import { fill } from "../base/fill.js";
import { toLatin } from "../fiscal/latin.js";
import type { Finding, FindingValues } from "./finding.js";
import { ENGLISH, type FindingText } from "./texts/english.js";
import { ENGLISH_LINES, type LineKey } from "./texts/lines-english.js";
import { SERBIAN_LINES } from "./texts/lines-serbian.js";
import { SERBIAN } from "./texts/serbian.js";

/** A language of the texts. The text in Latin letters is made from the Cyrillic text. */
type TextLanguage = "en" | "sr-Cyrl" | "sr-Latn";

export interface LineText {
  readonly key: LineKey;
  readonly values: FindingValues;
}

export function lineText(language: TextLanguage, { key, values }: LineText): string {
  return written(language, language === "en" ? ENGLISH_LINES[key] : SERBIAN_LINES[key], values);
}

/**
 * Fills in a text. Only the text is put into Latin letters, not the values, because a path must not change its
 * letters.
 */
function written(language: TextLanguage, text: string, values: FindingValues): string {
  return fill(language === "sr-Latn" ? toLatin(text) : text, values);
}

export function findingText(language: TextLanguage, { key, values }: FindingOf): FindingText {
  const { sentence, advice, technicians }: FindingText = language === "en" ? ENGLISH[key] : SERBIAN[key];
  const write = (text: string) => written(language, text, values);
  const more = technicians === undefined ? {} : { technicians: write(technicians) };
  return { sentence: write(sentence), advice: write(advice), ...more };
}

type FindingOf = Pick<Finding, "key" | "values">;

/**
 * The texts of a finding for the command line and the log. Technicians read those, so the advice includes the
 * technicians' text.
 * @param inDoctor whether the doctor itself shows the texts
 */
export function inEnglish(finding: FindingOf, inDoctor = false): Pick<FindingText, "sentence" | "advice"> {
  const { sentence, advice, technicians } = findingText("en", finding);
  const isShown = technicians !== undefined && !(inDoctor && sendsToDoctor(technicians));
  return { sentence, advice: isShown ? `${advice} ${technicians}` : advice };
}

/** Whether a text sends technicians to the doctor, which need not show it. */
export function sendsToDoctor(technicians: string): boolean {
  return technicians.includes("tillseal doctor");
}
