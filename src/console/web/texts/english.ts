/** The console's texts in English. The texts of every language have the same keys. */
import { AUDIT } from "./english/audit.js";
import { DAY_REPORT } from "./english/day-report.js";
import { RECEIPTS } from "./english/receipts.js";
import { REPORTS } from "./english/reports.js";
import { SETTINGS } from "./english/settings.js";
import { SHELL } from "./english/shell.js";
import { TILL } from "./english/till.js";
import { TRAFFIC } from "./english/traffic.js";

export const ENGLISH = {
  ...SHELL,
  ...TILL,
  ...AUDIT,
  ...DAY_REPORT,
  ...REPORTS,
  ...RECEIPTS,
  ...TRAFFIC,
  ...SETTINGS,
} as const;
