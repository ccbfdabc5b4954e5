/** Says which audit packages the tax authority has refused, and which receipts the authority does not have. */
import { toIso } from "../fiscal/time.js";
import type { AuditProgress } from "../ledger/audit-ledger.js";
import { type AuditReading, unsentText } from "../state/unsent-sales.js";
import { type Check, line, ok, warn } from "./check.js";

const SUBJECT = "audit packages";
const UNSENT = "unsent receipts";

/** The line about receipts that the authority does not have. @throws LedgerError */
export async function checkUnsent(audits: AuditReading): Promise<Check> {
  const text = unsentText(await audits.notReached());
  if (text === undefined) return ok(UNSENT, "this store knows of none: this machine may be changed");
  return warn(UNSENT, `${text}. See "Before you change this machine"`);
}

export async function packagesOf(audits: AuditReading): Promise<Check[]> {
  const checks: Check[] = [];
  for (const uid of await audits.cards()) checks.push(...refusedOf(await audits.progress(uid)));
  return checks.length > 0 ? checks : [line(SUBJECT, "ok", "noPackageRefused")];
}

function refusedOf({ refused }: AuditProgress): Check[] {
  const [first] = refused;
  if (!first) return [];
  const { number, at, reason } = first;
  return [line(SUBJECT, "warn", "packagesRefused", { count: refused.length, number, time: toIso(at), reason })];
}
