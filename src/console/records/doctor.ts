/** What the console's page Doctor shows. Only types: the console's code imports this file too. */
import type { Finding } from "../../state/finding.js";

/** A line of the doctor: one subject. */
export interface CheckRecord {
  readonly subject: string;
  /** fail: a shop could not sell. warn: it can sell, but something needs attention. */
  readonly verdict: "ok" | "warn" | "fail";
  /** What was checked, in English; without the findings. */
  readonly message: string;
  readonly findings: readonly Finding[];
}
