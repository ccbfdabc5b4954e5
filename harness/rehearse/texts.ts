/** The texts of the list in both languages of the console. A browser loads this file. */
import type { RuleTexts } from "./rule.js";
import TEXTS from "./texts.json" with { type: "json" };

type Pair = readonly [english: string, serbian: string];
const PAIRS = TEXTS as unknown as Readonly<Record<string, Readonly<Partial<Record<keyof RuleTexts, Pair>>>>>;

/** @param id of a rule, of a row that needs eyes, or of a situation. A text that it does not need is empty. */
export function textsOf(id: string, language: "english" | "serbian"): RuleTexts {
  const textOf = (name: keyof RuleTexts) => PAIRS[id]?.[name]?.[language === "english" ? 0 : 1] ?? "";
  return { text: textOf("text"), todo: textOf("todo"), change: textOf("change") };
}

export const TEXT_IDS = Object.keys(TEXTS);
