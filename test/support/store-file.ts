/** Reads and changes the store of a folder. */
import { join } from "node:path";
import { type StoreVerdict, verifyStore } from "../../src/bookkeeping/verify/verify-store.js";
import { checksumOf } from "../../src/ledger/checksum.js";
import type { Report } from "../../src/ledger/ledger.js";
import { addRowChecksum, sealIn } from "../../src/ledger/row-checksums.js";
import { openDatabase } from "../../src/ledger/sqlite.js";
import { STORE_FILE } from "../../src/ledger/store-folder.js";
import { StoreReading } from "../../src/ledger/store-reading.js";

/** The open reports of a store, without fields that depend on the time. */
export function reportsIn(dataDir: string): Pick<Report, "kind" | "from" | "to" | "requestId">[] {
  const reports = StoreReading.open(dataDir).use((store) => store.reports());
  const open = reports.filter(({ confirmedAt }) => confirmedAt === null);
  return open.map(({ kind, from, to, requestId }) => ({ kind, from, to, requestId }));
}

/**
 * Changes a closed store by SQL, as another program would. In it, checksum() seals the columns of an entry. New rows of
 * other tables get their checksums.
 */
export function changeStore(dataDir: string, sql: string): void {
  const db = openDatabase(join(dataDir, STORE_FILE));
  db.function("checksum", { varargs: true }, (...columns) => checksumOf(columns, "base64"));
  addRowChecksum(db);
  db.exec(sql);
  for (const table of ["reports", "cards"] as const) db.exec(sealIn(table));
  db.close();
}

/** What `tillseal verify` reports; a service may be using the store. */
export function verdictOn(folder: string): StoreVerdict {
  return StoreReading.open(folder).use((store) => verifyStore(store, () => undefined));
}

/** The problems of {@link verdictOn}, without their places. */
export const problemsIn = (dataDir: string) => verdictOn(dataDir).findings.map(({ problem }) => problem);
