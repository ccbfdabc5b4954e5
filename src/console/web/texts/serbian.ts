/** The console's texts in Serbian, in Cyrillic; the Latin texts are made from these, letter by letter. */
import type { ENGLISH } from "./english.js";
import { AUDIT } from "./serbian/audit.js";
import { DAY_REPORT } from "./serbian/day-report.js";
import { RECEIPTS } from "./serbian/receipts.js";
import { REPORTS } from "./serbian/reports.js";
import { SETTINGS } from "./serbian/settings.js";
import { SHELL } from "./serbian/shell.js";
import { TILL } from "./serbian/till.js";
import { TRAFFIC } from "./serbian/traffic.js";

export const SERBIAN: Readonly<Record<keyof typeof ENGLISH, string>> = {
  ...SHELL,
  ...TILL,
  ...AUDIT,
  ...DAY_REPORT,
  ...REPORTS,
  ...RECEIPTS,
  ...TRAFFIC,
  ...SETTINGS,
};
