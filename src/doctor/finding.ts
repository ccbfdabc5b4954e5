/** What the doctor says: one line a subject. */

/** fail: a shop could not sell. warn: it can, and something is to be done. */
export type Verdict = "ok" | "warn" | "fail";

export interface Finding {
  readonly subject: string;
  readonly verdict: Verdict;
  /** What was found and, unless it is well, what to do. */
  readonly message: string;
}

export const ok = (subject: string, message: string): Finding => ({ subject, verdict: "ok", message });
export const warn = (subject: string, message: string): Finding => ({ subject, verdict: "warn", message });
export const fail = (subject: string, message: string): Finding => ({ subject, verdict: "fail", message });
