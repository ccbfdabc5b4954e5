/** Checks the store of the data folder. It can be read at any time, also while the service writes to it. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { cardKeys, problemsOf } from "../bookkeeping/verify/entry.js";
import type { ReportsRecord } from "../console/records/reports.js";
import { reportsRecord } from "../console/reports-record.js";
import { toIso } from "../fiscal/time.js";
import { STORE_FILE, StoreError } from "../ledger/database.js";
import { missingStore } from "../ledger/store-folder.js";
import { OlderStoreError, StoreReading } from "../ledger/store-reading.js";
import { type Check, fail, line, ok } from "./check.js";

/** Number of newest entries that are checked; `tillseal verify` checks all of them. */
const CHECKED = 100;

/** @param whole whether SQLite reads the whole store, which takes long for a large one */
export function checkStore(dataDir: string, whole = true) {
  const only = (check: Check) => ({ checks: [check], indexDamaged: false });
  try {
    const missing = missingStore(dataDir);
    if (missing) throw missing;
    if (!existsSync(join(dataDir, STORE_FILE))) return only(line("store", "ok", "noStore"));
    return StoreReading.open(dataDir).use((store) => {
      const reports = store.reports().filter(({ confirmedAt }) => confirmedAt === null);
      const sales = store.openIntents().map((entry) => ({ entry, wayOut: "card" }) as const);
      return {
        checks: [checkNewest(store), ...describeDoubts(reportsRecord({ sales, reports }))],
        indexDamaged: whole && store.integrity().length > 0,
      };
    });
  } catch (error) {
    if (error instanceof OlderStoreError) {
      const file = join(dataDir, STORE_FILE);
      return only(line("store", "warn", "olderStore", { file }));
    }
    if (error instanceof StoreError) return only(fail("store", error.message));
    throw error;
  }
}

/** Checks the newest entries, because a failing disk damages these first. */
function checkNewest(store: StoreReading): Check {
  const { keys } = cardKeys(store);
  const newest = store.newest(CHECKED);
  const bad = newest.filter((entry) => problemsOf(entry, keys.get(entry.uid) ?? []).length > 0);
  const time = store.newestTime();
  const entries = store.count();
  if (bad.length > 0) return line("store", "warn", "damaged", { entries, bad: bad.length });
  if (time === null) return line("store", "ok", "noReceipt", { entries });
  return line("store", "ok", "undamaged", { entries, time: toIso(time), checked: newest.length });
}

/** @param record of the store, or of the service that runs: only the service knows which sale is being signed */
export function describeDoubts({ inDoubt, reports }: ReportsRecord): Check[] {
  const names = inDoubt.map(({ name, uid }) => `${name} (card ${uid})`).join(", ");
  return [
    ok("reports", reports.length === 0 ? "none to confirm" : `${reports.length} to confirm: run tillseal incidents`),
    ok("sales in doubt", inDoubt.length === 0 ? "none" : `${names}: run tillseal incidents`),
  ];
}
