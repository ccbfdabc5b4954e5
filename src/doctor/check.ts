/** A result of the doctor: one line per subject. */
import type { Facts } from "../state/facts.js";
import type { Finding, FindingValues } from "../state/finding.js";
import type { LineKey } from "../state/texts/lines-english.js";
import { inEnglish, type LineText, lineText } from "../state/texts.js";

/** fail: a shop could not sell. warn: it can sell, but something needs attention. */
export type CheckVerdict = "ok" | "warn" | "fail";

export interface Check {
  readonly subject: string;
  readonly verdict: CheckVerdict;
  /** What was checked and, if there is a problem, what to do. */
  readonly message: string;
  /** The message in each language; absent if only technicians read it, on the command line. */
  readonly line?: LineText;
}

/** A line that the console shows too. */
export function line(subject: string, verdict: CheckVerdict, key: LineKey, values: FindingValues = {}): Check {
  const text: LineText = { key, values };
  return { subject, verdict, message: lineText("en", text), line: text };
}

export const ok = (subject: string, message: string): Check => ({ subject, verdict: "ok", message });
export const warn = (subject: string, message: string): Check => ({ subject, verdict: "warn", message });
export const fail = (subject: string, message: string): Check => ({ subject, verdict: "fail", message });

/** What the doctor saw, and facts from which findings follow. */
export interface Examined {
  readonly checks: readonly Check[];
  readonly facts: Partial<Facts>;
}

/** Adds each finding to the line of the part that it affects; a part without a line gets one. */
export function withFindings(checks: readonly Check[], findings: readonly Finding[]): Check[] {
  return [...checks, ...furtherParts(checks, findings)].map((check) =>
    findings.filter(({ affects }) => affects === check.subject).reduce(withFinding, check),
  );
}

/** Empty lines for the parts that findings affect and no check is about. */
export function furtherParts(checks: readonly Check[], findings: readonly Finding[]): readonly Check[] {
  const lines = new Set(checks.map(({ subject }) => subject));
  const parts = new Set<string>(findings.map(({ affects }) => affects));
  return [...parts].filter((part) => !lines.has(part)).map((part) => ok(part, ""));
}

function withFinding({ subject, verdict, message }: Check, finding: Finding): Check {
  const { sentence, advice } = inEnglish(finding);
  const worse = finding.severity === "stops" || verdict === "fail" ? "fail" : "warn";
  return { subject, verdict: worse, message: `${message === "" ? "" : `${message}. `}${sentence} ${advice}` };
}
