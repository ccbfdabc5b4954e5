/** A result of the doctor: one line per subject. */

/** fail: a shop could not sell. warn: it can sell, but something needs attention. */
export type Verdict = "ok" | "warn" | "fail";

export interface Finding {
  readonly subject: string;
  readonly verdict: Verdict;
  /** What was found and, if there is a problem, what to do. */
  readonly message: string;
}

export const ok = (subject: string, message: string): Finding => ({ subject, verdict: "ok", message });
export const warn = (subject: string, message: string): Finding => ({ subject, verdict: "warn", message });
export const fail = (subject: string, message: string): Finding => ({ subject, verdict: "fail", message });
