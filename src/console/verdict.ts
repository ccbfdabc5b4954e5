/** Makes one verdict from the findings: a colour, a first sentence with advice, and further sentences. */
import type { Finding } from "../state/finding.js";
import type { FindingText } from "../state/texts/english.js";

export type Mood = "good" | "care" | "bad";

export interface TillVerdict {
  readonly mood: Mood;
  readonly sentence: string;
  readonly advice: string;
  /** Advice for technicians, with commands and files. */
  readonly technicians?: string | undefined;
  /** Codes that a POS gets or sees. */
  readonly codes: readonly string[];
  /** Sentences of the other findings. */
  readonly further: readonly string[];
}

interface Wording {
  readonly text: (finding: Finding) => FindingText;
  /** The text for a till without findings. Its sentence is also shown before the warnings of a till that can sell. */
  readonly ready: FindingText;
}

/** @param findings the most important one first */
export function verdictOf(findings: readonly Finding[], { text, ready }: Wording): TillVerdict {
  const [first, ...others] = findings;
  if (!first) return { mood: "good", ...ready, codes: ["0100"], further: [] };
  const { sentence, advice, technicians } = text(first);
  const { code, refusal } = first;
  return {
    mood: first.severity === "stops" ? "bad" : "care",
    // Do not call a till ready that has a sale in doubt, or whose card may refuse again, although its card can sell.
    sentence: sells(findings) && !findings.some(isDoubtful) ? `${ready.sentence} ${sentence}` : sentence,
    advice,
    technicians,
    codes: [...new Set([refusal ?? code, code])],
    // An audit that is due says nothing new below a finding that asks for the audit.
    further: others
      .filter(({ key }) => key !== "auditDue" || first.action !== "audit")
      .map((finding) => text(finding).sentence),
  };
}

export function sells(findings: readonly Finding[]): boolean {
  return findings.every(({ severity }) => severity === "warns");
}

function isDoubtful({ affects, key }: Finding): boolean {
  return affects === "sales in doubt" || key === "wasDisabled";
}

/** Whether there are reports or sales in doubt to look at. */
export function asksPerson(findings: readonly Finding[]): boolean {
  return findings.some(({ affects }) => affects === "sales in doubt" || affects === "reports");
}
