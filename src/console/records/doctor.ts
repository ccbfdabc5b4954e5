/** What the console's page Doctor shows. Only types: the console's code imports this file too. */
import type { Finding } from "../../state/finding.js";
import type { LineText } from "../../state/texts.js";

/** A line of the doctor: one subject. */
export interface CheckRecord {
  readonly subject: string;
  /** fail: a shop could not sell. warn: it can sell, but something needs attention. */
  readonly verdict: "ok" | "warn" | "fail";
  /** What was checked, without the findings: in each language, or only in English. */
  readonly line: LineText | null;
  readonly message: string;
  readonly findings: readonly Finding[];
}
