/** The content of the console's page Doctor. */
import type { Finding } from "../../state/finding.js";
import type { LineText } from "../../state/texts.js";

/** One line of the page Doctor: the result of the check of one subject. */
export interface CheckRecord {
  readonly subject: string;
  /** `fail`: the shop could not sell. `warn`: the shop can sell, but something needs attention. */
  readonly verdict: "ok" | "warn" | "fail";
  /** Text that says what was checked, without the findings. The text is in each language, or only in English. */
  readonly line: LineText | null;
  readonly message: string;
  readonly findings: readonly Finding[];
}
