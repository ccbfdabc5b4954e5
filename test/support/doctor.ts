/** The lines of the doctor about one thing that it examined, in a shop that can sell otherwise. */
import { type Check, type Examined, withFindings } from "../../src/doctor/check.js";
import { allFindings } from "../../src/doctor/findings.js";
import { WELL } from "./finding-examples.js";

/** @param now ms since the epoch */
export function doctorLines(examined: Examined, now = WELL.now): Check[] {
  const all = [{ checks: [], facts: WELL }, examined, { checks: [], facts: { now } }];
  return withFindings(examined.checks, allFindings(all, { now, unsentLimit: WELL.unsentLimit, ofService: undefined }));
}
