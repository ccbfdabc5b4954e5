/** Describes the results of the doctor. Each subject has one line. */
import type { EpochMs } from "../base/epoch-ms.js";
import { toIso } from "../fiscal/time.js";
import type { Finding, FindingValues } from "../state/finding.js";
import { type CertificateState, certificateState, type Validity } from "../state/rules.js";
import type { LineKey } from "../state/texts/lines-english.js";
import { inEnglish, type LineText, lineText } from "../state/texts.js";

/** The result of a check. `fail`: a shop could not sell. `warn`: the shop can sell, but something needs attention. */
type CheckVerdict = "ok" | "warn" | "fail";

export interface Check {
  readonly subject: string;
  readonly verdict: CheckVerdict;
  /** The result of the check and, if there is a problem, what to do. */
  readonly message: string;
  /** The message in each language; absent if only technicians read the message, on the command line. */
  readonly line?: LineText | null;
}

/** Makes a line that the console shows, too. */
export function line(subject: string, verdict: CheckVerdict, key: LineKey, values: FindingValues = {}): Check {
  const text: LineText = { key, values };
  return { subject, verdict, message: lineText("en", text), line: text };
}

export const ok = (subject: string, message: string): Check => ({ subject, verdict: "ok", message });
export const warn = (subject: string, message: string): Check => ({ subject, verdict: "warn", message });
export const fail = (subject: string, message: string): Check => ({ subject, verdict: "fail", message });

/** A line about a certificate. @param dates what and until when @param next what the authority gives instead */
export function checkValidity(subject: string, dates: string, validity: Validity, now: EpochMs, next: string): Check {
  const { state, daysLeft } = certificateState(validity, now);
  const lines = {
    "not-yet": warn(subject, `${dates}, but the clock says ${toIso(now)}: set the clock if it is wrong`),
    valid: ok(subject, dates),
    "ends-soon": warn(subject, `${dates}, ${daysLeft} days left: ask the authority for ${next}`),
    ended: warn(subject, `${dates}: it has expired; ask the authority for ${next}`),
  } as const satisfies Record<CertificateState["state"], Check>;
  return lines[state];
}

/** Adds each finding to the line of the part that it affects. A part without a line gets a line. */
export function withFindings(checks: readonly Check[], findings: readonly Finding[]): Check[] {
  return [...checks, ...furtherParts(checks, findings)].map((check) =>
    findings.filter(({ affects }) => affects === check.subject).reduce(withFinding, check),
  );
}

/** Makes empty lines for the parts that findings affect, but that no check is about. */
export function furtherParts(checks: readonly Check[], findings: readonly Finding[]): readonly Check[] {
  const lines = new Set(checks.map(({ subject }) => subject));
  const parts = new Set<string>(findings.map(({ affects }) => affects));
  return [...parts].filter((part) => !lines.has(part)).map((part) => ok(part, ""));
}

function withFinding({ subject, verdict, message }: Check, finding: Finding): Check {
  const { sentence, advice } = inEnglish(finding, true);
  const text = `${message === "" ? "" : `${message}. `}${sentence} ${advice}`;
  return { subject, verdict: worseBy(verdict, finding), message: text };
}

export function worseBy(verdict: CheckVerdict, { severity }: Finding): CheckVerdict {
  return severity === "stops" || verdict === "fail" ? "fail" : "warn";
}
