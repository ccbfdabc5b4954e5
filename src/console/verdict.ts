/** Whether the till is able to sell, in one sentence, and what to do (protocol facts, section 1, "Life of a card"). */
import type { TillRecord } from "./records.js";
import type { ENGLISH } from "./web/texts/english.js";

type TextKey = keyof typeof ENGLISH;

export type Mood = "good" | "care" | "bad";

export interface Verdict {
  readonly mood: Mood;
  readonly sentence: TextKey;
  readonly advice: TextKey;
  /** The code that a POS would get or see. */
  readonly code: string;
}

/** Which code says it; the first that is there decides. */
const VERDICTS: readonly Verdict[] = [
  { code: "1300", mood: "bad", sentence: "noCard", advice: "noCardAdvice" },
  { code: "2220", mood: "bad", sentence: "unreachable", advice: "unreachableAdvice" },
  { code: "2230", mood: "bad", sentence: "unsupported", advice: "unsupportedAdvice" },
  { code: "2110", mood: "bad", sentence: "locked", advice: "lockedAdvice" },
  { code: "2400", mood: "bad", sentence: "notConfigured", advice: "notConfiguredAdvice" },
  { code: "2809", mood: "bad", sentence: "certificateEnded", advice: "certificateEndedAdvice" },
  { code: "2210", mood: "bad", sentence: "limitReached", advice: "limitReachedAdvice" },
  { code: "1500", mood: "care", sentence: "pinNeeded", advice: "pinNeededAdvice" },
  { code: "1400", mood: "care", sentence: "auditSoon", advice: "auditSoonAdvice" },
  { code: "1999", mood: "care", sentence: "signatureLost", advice: "signatureLostAdvice" },
  { code: "0100", mood: "good", sentence: "ready", advice: "readyAdvice" },
];

/** Neither is a card in a reader, nor a reader. */
const NO_READER: Verdict = { code: "1300", mood: "bad", sentence: "noReader", advice: "noReaderAdvice" };

/** The card has said so with the last sale; the code is that of the limit. */
const REFUSALS: Readonly<Record<"disabled" | "counter-at-end", Verdict>> = {
  disabled: { code: "2210", mood: "bad", sentence: "disabled", advice: "disabledAdvice" },
  "counter-at-end": { code: "2210", mood: "bad", sentence: "counterAtEnd", advice: "counterAtEndAdvice" },
};

/** Of several warnings the one that makes every receipt void. */
const TEST_CARD: Verdict = { code: "1999", mood: "care", sentence: "testCard", advice: "testCardAdvice" };
const DISK_FULL: Verdict = { code: "1999", mood: "bad", sentence: "diskFull", advice: "diskFullAdvice" };
const NOT_STORED: Verdict = { code: "1999", mood: "bad", sentence: "notStored", advice: "notStoredAdvice" };

/** The service itself is not there. */
export const GONE: Verdict = { code: "", mood: "bad", sentence: "notReached", advice: "notReachedAdvice" };

export type TillStanding = Pick<TillRecord, "codes" | "card" | "time" | "testCard" | "storeProblem">;

export function verdictOf({ codes, card, time, testCard, storeProblem }: TillStanding): Verdict {
  // Status has no code for it: a till meets 2809 with its next sale.
  const valid = card.state !== "ready" || (time >= card.validFrom && time <= card.validTo);
  const all = valid ? codes : [...codes, "2809"];
  const found = VERDICTS.find(({ code }) => all.includes(code));
  // A PIN would not help.
  if (storeProblem && found?.mood !== "bad") return storeProblem.fault === "full" ? DISK_FULL : NOT_STORED;
  if (found?.code === "1300" && card.state === "no-card" && card.noReader) return NO_READER;
  if (found?.code === "2210" && card.state === "ready" && card.refuses) return REFUSALS[card.refuses];
  if (found?.code === "1999" && testCard) return TEST_CARD;
  return found ?? { code: codes[0] ?? "", mood: "bad", sentence: "unreachable", advice: "unreachableAdvice" };
}
