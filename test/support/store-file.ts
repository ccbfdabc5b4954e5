/** Reads the store of a folder that no service uses. */

import { type StoreVerdict, verifyStore } from "../../src/bookkeeping/verify/verify-store.js";
import { checksumOf } from "../../src/ledger/checksum.js";
import { type Db, openStore } from "../../src/ledger/database.js";
import type { Report } from "../../src/ledger/ledger.js";
import { SqliteLedger } from "../../src/ledger/sqlite-ledger.js";
import { StoreReading } from "../../src/ledger/store-reading.js";

/** The reports of a store, without fields that depend on the time. */
export async function reportsIn(dataDir: string): Promise<Pick<Report, "kind" | "from" | "to" | "requestId">[]> {
  const store = openStore(dataDir);
  try {
    const reports = await new SqliteLedger(store).reports();
    return reports.map(({ kind, from, to, requestId }) => ({ kind, from, to, requestId }));
  } finally {
    store.close();
  }
}

/** Defines the SQL function checksum() over the columns of an entry without its id, for entries as the ledger has them. */
export function defineChecksum(db: Db): void {
  db.function("checksum", { varargs: true }, (...columns) => checksumOf(columns, "base64"));
}

/** What `tillseal verify` reports; a service may be using the store. */
export function verdictOn(folder: string): StoreVerdict {
  const store = StoreReading.open(folder);
  try {
    return verifyStore(store, () => undefined);
  } finally {
    store.close();
  }
}
