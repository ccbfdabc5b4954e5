/** Describes the findings and our own codes of `mssc`, for the documentation. */
import { FINDING_KEYS, FINDINGS } from "./findings.js";
import { isOwn } from "./status-codes.js";
import { ENGLISH, type FindingKey } from "./texts/english.js";

/** Each of our own codes with its meaning. In a meaning, `N` stands for a value. */
export function ownCodes(): { readonly code: string; readonly meaning: string }[] {
  const codes = [...new Set(FINDING_KEYS.map((key) => FINDINGS[key].code).filter(isOwn))].toSorted();
  return codes.map((code) => {
    const keys = FINDING_KEYS.filter((key) => FINDINGS[key].code === code);
    const meaning = keys.map((key) => meaningOf(key)).join(" Or: ");
    return { code, meaning };
  });
}

/** The sentence of a finding. In the sentence, `N` stands for a value. */
export function meaningOf(key: FindingKey): string {
  return ENGLISH[key].sentence.replaceAll(/\{\w+\}/g, "N");
}
