/** Says in one sentence whether the till can sell, and what to do (protocol facts, section 1, "Life of a card"). */
import type { DoubtsRecord, TillRecord } from "./records/till.js";
import type { ENGLISH } from "./web/texts/english.js";

export type TextKey = keyof typeof ENGLISH;

export type Mood = "good" | "care" | "bad";

export interface Verdict {
  readonly mood: Mood;
  readonly sentence: TextKey;
  readonly advice: TextKey;
  /** The code that a POS would get or see. */
  readonly code: string;
}

/** A sentence per code; the first code of this list that is present decides. */
const VERDICTS: readonly Verdict[] = [
  { code: "1300", mood: "bad", sentence: "noCard", advice: "noCardAdvice" },
  { code: "2220", mood: "bad", sentence: "unreachable", advice: "unreachableAdvice" },
  { code: "2230", mood: "bad", sentence: "unsupported", advice: "unsupportedAdvice" },
  { code: "2110", mood: "bad", sentence: "locked", advice: "lockedAdvice" },
  { code: "2400", mood: "bad", sentence: "notConfigured", advice: "notConfiguredAdvice" },
  { code: "2809", mood: "bad", sentence: "certificateEnded", advice: "certificateEndedAdvice" },
  { code: "2210", mood: "bad", sentence: "limitReached", advice: "limitReachedAdvice" },
  { code: "1500", mood: "care", sentence: "pinNeeded", advice: "pinNeededAdvice" },
  { code: "1100", mood: "care", sentence: "packagesSoon", advice: "packagesAdvice" },
  { code: "1400", mood: "care", sentence: "auditSoon", advice: "auditSoonAdvice" },
  { code: "1999", mood: "care", sentence: "reported", advice: "reportedAdvice" },
  { code: "0100", mood: "good", sentence: "ready", advice: "readyAdvice" },
];

/** There is no card because there is no reader. */
const NO_READER: Verdict = { code: "1300", mood: "bad", sentence: "noReader", advice: "noReaderAdvice" };

/** An authority is configured: the rates come from there, and no file is needed. */
const WAITS_FOR_AUTHORITY: Verdict = {
  code: "2400",
  mood: "bad",
  sentence: "notConfigured",
  advice: "waitsForAuthorityAdvice",
};
const RATES_DAMAGED: Verdict = {
  code: "2400",
  mood: "bad",
  sentence: "ratesDamaged",
  advice: "ratesDamagedAdvice",
};

/** The card refused the last sale for another reason than its limit, with the same code. */
const REFUSALS: Readonly<Record<"disabled" | "counter-at-end", Verdict>> = {
  disabled: { code: "2210", mood: "bad", sentence: "disabled", advice: "disabledAdvice" },
  "counter-at-end": { code: "2210", mood: "bad", sentence: "counterAtEnd", advice: "counterAtEndAdvice" },
};

/** Of several warnings, those that stop the till come first, then the one that makes every receipt void. */
const IN_DOUBT: Verdict = { code: "1999", mood: "bad", sentence: "inDoubt", advice: "inDoubtAdvice" };
const OTHER_IN_DOUBT: Verdict = { code: "1999", mood: "care", sentence: "otherInDoubt", advice: "otherInDoubtAdvice" };
const TEST_CARD: Verdict = { code: "1999", mood: "care", sentence: "testCard", advice: "testCardAdvice" };
const CLOCK_OFF: Verdict = { code: "1999", mood: "care", sentence: "clockOff", advice: "clockOffAdvice" };
const DISK_LOW: Verdict = { code: "1999", mood: "care", sentence: "diskLow", advice: "diskLowAdvice" };
const CERTIFICATE_ENDS: Verdict = {
  code: "1999",
  mood: "care",
  sentence: "certificateEnds",
  advice: "certificateEndsAdvice",
};
const DISK_FULL: Verdict = { code: "1999", mood: "bad", sentence: "diskFull", advice: "diskFullAdvice" };
const NOT_STORED: Verdict = { code: "1999", mood: "bad", sentence: "notStored", advice: "notStoredAdvice" };
const HELD: Verdict = { code: "1999", mood: "bad", sentence: "held", advice: "heldAdvice" };

/** Sales are refused until an audit ends. */
const PACKAGES_FULL: Verdict = { code: "1100", mood: "bad", sentence: "packagesFull", advice: "packagesAdvice" };

/** The service does not answer. */
export const GONE: Verdict = { code: "", mood: "bad", sentence: "notReached", advice: "notReachedAdvice" };

export type TillFacts = Pick<
  TillRecord,
  | "codes"
  | "card"
  | "time"
  | "doubts"
  | "testCard"
  | "storeProblem"
  | "clock"
  | "authority"
  | "environmentDamaged"
  | "packagesFull"
  | "certificateEnds"
  | "diskLow"
>;

export function verdictOf(till: TillFacts): Verdict {
  const { codes, card, time, doubts, testCard, storeProblem, clock } = till;
  // Status has no code for an expired certificate: a POS gets 2809 with its next sale.
  const valid = card.state !== "ready" || (time >= card.validFrom && time <= card.validTo);
  const all = valid ? codes : [...codes, "2809"];
  const found = VERDICTS.find(({ code }) => all.includes(code));
  if (found?.mood !== "bad") {
    // Storage problems come first: the PIN would not help.
    if (storeProblem) return storeProblem.fault === "full" ? DISK_FULL : NOT_STORED;
    if (doubts.held > 0) return HELD;
    // With a missing PIN, ask for it first: after the PIN the card shows what became of a sale in doubt.
    if (found?.code !== "1500" && doubts.ofThisCard > 0) return IN_DOUBT;
    if (found?.code !== "1500" && doubts.ofOtherCards > 0) return OTHER_IN_DOUBT;
  }
  if (found?.code === "1300" && card.state === "no-card" && card.noReader) return NO_READER;
  if (found?.code === "2400" && till.environmentDamaged) return RATES_DAMAGED;
  if (found?.code === "2400" && till.authority.contact !== "not-asked") return WAITS_FOR_AUTHORITY;
  if (found?.code === "2210" && card.state === "ready" && card.refuses) return REFUSALS[card.refuses];
  if (found?.code === "1100" && till.packagesFull) return PACKAGES_FULL;
  if (found?.code === "1999" && testCard) return TEST_CARD;
  if (found?.code === "1999" && doubts.reports === 0) {
    // A full disk will stop the till, so it comes first.
    if (till.diskLow !== null) return DISK_LOW;
    if (till.certificateEnds !== null) return CERTIFICATE_ENDS;
    if (clock?.off) return CLOCK_OFF;
  }
  return found ?? { code: codes[0] ?? "", mood: "bad", sentence: "unreachable", advice: "unreachableAdvice" };
}

type Warned = Pick<TillRecord, "doubts" | "testCard" | "clock" | "certificateEnds" | "diskLow">;

/** Further warnings, shown below the sentence. */
export function alsoSaid(
  { sentence }: Verdict,
  { doubts, testCard, clock, certificateEnds, diskLow }: Warned,
): readonly TextKey[] {
  const isAboutDoubt = sentence === IN_DOUBT.sentence || sentence === OTHER_IN_DOUBT.sentence;
  return [
    ...(diskLow !== null && sentence !== DISK_LOW.sentence ? (["diskLow"] as const) : []),
    ...(certificateEnds !== null && sentence !== CERTIFICATE_ENDS.sentence ? (["certificateEnds"] as const) : []),
    ...(clock?.off && sentence !== CLOCK_OFF.sentence ? (["clockOff"] as const) : []),
    ...(testCard && sentence !== TEST_CARD.sentence ? (["testCardToo"] as const) : []),
    ...(salesInDoubt(doubts) > 0 && !isAboutDoubt ? (["inDoubtToo"] as const) : []),
    ...(doubts.reports > 0 && sentence !== "reported" ? (["reportedToo"] as const) : []),
  ];
}

/** Values for the texts of a verdict. */
export function namedIn(till: Pick<TillRecord, "doubts" | "storeProblem" | "certificateEnds" | "diskLow">) {
  const { doubts, storeProblem, certificateEnds, diskLow } = till;
  return {
    sales: salesInDoubt(doubts),
    reports: doubts.reports,
    folder: storeProblem?.folder ?? "",
    days: certificateEnds ?? 0,
    free: diskLow ?? 0,
  };
}

/** Whether there are reports or sales in doubt to look at. */
export function isDoubtful({ doubts }: Pick<TillRecord, "doubts">): boolean {
  return salesInDoubt(doubts) + doubts.reports > 0;
}

function salesInDoubt({ ofThisCard, ofOtherCards }: DoubtsRecord): number {
  return ofThisCard + ofOtherCards;
}
