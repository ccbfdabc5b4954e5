/** Audit packages that the tax authority has refused or found wrong, as the store says it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { toIso } from "../fiscal/time.js";
import type { AuditLedger, AuditProgress } from "../ledger/audit-ledger.js";
import { STORE_FILE, StoreError } from "../ledger/database.js";
import { LedgerError } from "../ledger/ledger.js";
import { StoreReading } from "../ledger/store-reading.js";
import { type Finding, ok, warn } from "./finding.js";

const SUBJECT = "audit packages";

/** Empty if there is no readable store: another check reports that. */
export async function checkPackages(dataDir: string): Promise<Finding[]> {
  if (!existsSync(join(dataDir, STORE_FILE))) return [];
  let store: StoreReading | undefined;
  try {
    store = StoreReading.open(dataDir);
    return await packagesOf(store.audits());
  } catch (error) {
    if (error instanceof StoreError || error instanceof LedgerError) return [];
    throw error;
  } finally {
    store?.close();
  }
}

async function packagesOf(audits: AuditLedger): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const uid of await audits.cards()) findings.push(...findingsOf(await audits.progress(uid)));
  return findings.length > 0 ? findings : [ok(SUBJECT, "the tax authority has refused no package")];
}

function findingsOf({ refused, lastWrong, provenTo }: AuditProgress): Finding[] {
  const [first] = refused;
  const said: Finding[] = [];
  if (first) {
    const others = refused.length === 1 ? "" : ` and ${refused.length - 1} more`;
    const what = `the tax authority has refused ${first.number}${others} (${toIso(first.at)}): ${first.reason}`;
    said.push(
      warn(
        SUBJECT,
        `${what}; send them again with tillseal audit now, or write them to a stick with tillseal audit export`,
      ),
    );
  }
  // Packages that a proof covers are settled.
  if (lastWrong && lastWrong.entry > provenTo) {
    const { number, status } = lastWrong;
    const why =
      status === null ? "the stored sale is damaged: run tillseal verify" : `status ${status}: ask the authority`;
    said.push(warn(SUBJECT, `${number} is wrong, ${why}`));
  }
  return said;
}
