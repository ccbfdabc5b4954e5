/**
 * Reads from the store which audit packages the tax authority has refused, and which receipts the authority does not
 * have.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { toIso } from "../fiscal/time.js";
import type { AuditLedger, AuditProgress } from "../ledger/audit-ledger.js";
import { STORE_FILE, StoreError } from "../ledger/database.js";
import { LedgerError } from "../ledger/ledger.js";
import { StoreReading } from "../ledger/store-reading.js";
import { unsentSales, unsentText } from "../state/unsent-sales.js";
import { type Check, type Examined, line, ok, warn } from "./check.js";

const SUBJECT = "audit packages";
const UNSENT = "unsent receipts";

/**
 * Checks audit packages and receipts. The result is empty if there is no readable store, because another check reports
 * that.
 * @param uid UID of the card in the reader
 */
export async function checkPackages(dataDir: string, uid?: string): Promise<Examined> {
  if (!existsSync(join(dataDir, STORE_FILE))) return NOTHING;
  let store: StoreReading | undefined;
  try {
    store = StoreReading.open(dataDir);
    const audits = store.audits();
    const unsent = await unsentSales(audits);
    return {
      checks: [...(await packagesOf(audits)), checkUnsent(unsent.oldestUnsent)],
      facts: { unsent: uid === undefined ? undefined : await audits.unsent(uid), ...unsent },
    };
  } catch (error) {
    if (error instanceof StoreError || error instanceof LedgerError) return NOTHING;
    throw error;
  } finally {
    store?.close();
  }
}

const NOTHING: Examined = { checks: [], facts: {} };

/** The line about unsent receipts. @param oldest ms since the epoch; undefined if the authority has every receipt */
function checkUnsent(oldest: number | undefined): Check {
  if (oldest === undefined) return ok(UNSENT, "there are none: this machine may be changed");
  return warn(UNSENT, `${unsentText(oldest)}. They are on this machine only: see "Before you change this machine"`);
}

export async function packagesOf(audits: AuditLedger): Promise<Check[]> {
  const checks: Check[] = [];
  for (const uid of await audits.cards()) checks.push(...refusedOf(await audits.progress(uid)));
  return checks.length > 0 ? checks : [line(SUBJECT, "ok", "noPackageRefused")];
}

function refusedOf({ refused }: AuditProgress): Check[] {
  const [first] = refused;
  if (!first) return [];
  const { number, at, reason } = first;
  const others = refused.length - 1;
  const key = others === 0 ? "packageRefused" : "packagesRefused";
  return [line(SUBJECT, "warn", key, { number, others, time: toIso(at), reason })];
}
