/** Where reports are read and settled: in the service that runs, or in the store of one that does not. */
import { systemClock } from "../clock.js";
import { dataDirOf } from "../config/data-dir.js";
import type { LoadedConfig } from "../config/load.js";
import type { ReportsRecord } from "../console/records.js";
import { reportsRecord } from "../console/reports-record.js";
import { decisionChanges } from "../fiscalizer/writes.js";
import { openStore, StoreError } from "../ledger/database.js";
import { type Ledger, LedgerError } from "../ledger/ledger.js";
import { SqliteLedger } from "../ledger/sqlite-ledger.js";
import { StoreReading } from "../ledger/store-reading.js";
import { serviceCall } from "./call-service.js";
import { type Found, findRunning, NotRunning } from "./find-running.js";
import { UserError } from "./user-error.js";

export interface ReportsSource {
  /** Of the service; undefined where none runs. */
  readonly url: string | undefined;
  /** @throws UserError */
  read(): Promise<ReportsRecord>;
  /** @throws UserError */
  confirm(ids: readonly number[]): Promise<void>;
  /** @throws UserError */
  decide(id: number, signed: boolean): Promise<void>;
}

/** @throws UserError where there is neither a service nor a store */
export async function reportsSource(config: LoadedConfig): Promise<ReportsSource> {
  try {
    return ofService(await findRunning(config));
  } catch (error) {
    const { card, dataDir } = config.settings;
    const hasFolder = card === "pcsc" || dataDir !== undefined;
    if (!(error instanceof NotRunning) || !hasFolder) throw error;
    return ofStore(dataDirOf(config.settings));
  }
}

function ofService(found: Found): ReportsSource {
  const call = serviceCall(found, "/reports");
  const { url } = found;
  return {
    url,
    read: async () => (await call("GET", "")) as ReportsRecord,
    confirm: async (ids) => void (await call("POST", "/confirm", { ids })),
    decide: async (id, signed) => void (await call("POST", "/decide", { id, signed })),
  };
}

function ofStore(dataDir: string): ReportsSource {
  return {
    url: undefined,
    read: async () => explained(async () => readStore(dataDir)),
    confirm: (ids) =>
      changed(dataDir, async (ledger) => {
        await ledger.commit(ids.map((id) => ({ change: "confirm", id, at: systemClock.now() })));
      }),
    decide: (id, signed) =>
      changed(dataDir, async (ledger) => {
        const entry = (await ledger.openIntents()).find((open) => open.id === id);
        if (!entry) throw new UserError("this sale is not in doubt any more");
        await ledger.commit(decisionChanges(entry, signed, systemClock.now()));
      }),
  };
}

/** The folder's lock keeps a service from starting meanwhile. */
function changed(dataDir: string, change: (ledger: Ledger) => Promise<void>): Promise<void> {
  return explained(async () => {
    const store = openStore(dataDir);
    try {
      await change(new SqliteLedger(store));
    } finally {
      store.close();
    }
  });
}

function readStore(dataDir: string): ReportsRecord {
  const store = StoreReading.open(dataDir);
  try {
    const sales = store.openIntents().map((entry) => ({ entry, wayOut: "card" as const }));
    return reportsRecord({ sales, reports: store.openReports() });
  } finally {
    store.close();
  }
}

export async function explained<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    const isTold = error instanceof StoreError || error instanceof LedgerError;
    throw isTold ? new UserError(error.message) : error;
  }
}
