/** Says whether the service erases old receipts itself, and if not, why. */
import type { Settings } from "../config/settings.js";
import { AUTHORITY_TIME } from "./authority.js";
import { type Check, ok, warn } from "./check.js";
import { CLOCK } from "./machine.js";

const SUBJECT = "retention";

/** The line about erasing receipts. @param checks lines about the clock, with their findings */
export function checkRetention(
  { retentionYears: years }: Pick<Settings, "retentionYears">,
  checks: readonly Check[],
): Check[] {
  if (years === undefined) return [];
  const times = checks.filter(({ subject }) => subject === CLOCK || subject === AUTHORITY_TIME);
  if (times.some(({ verdict }) => verdict === "ok")) {
    return [ok(SUBJECT, `receipts are erased after ${years} years, if a proof of audit covers them`)];
  }
  const reasons = times.map(({ message }) => message).join("; ");
  const advice = "Until the clock agrees with a time server or the tax authority, use tillseal data erase";
  return [warn(SUBJECT, `no receipt is erased by itself (retentionYears: ${years}): ${reasons}. ${advice}`)];
}
