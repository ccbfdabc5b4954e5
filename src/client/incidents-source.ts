/** Reads and settles reports: through the running service, or in the store if no service runs. */
import { systemClock } from "../base/clock.js";
import { UserError } from "../base/user-error.js";
import type { LoadedConfig } from "../config/load.js";
import type { ReportsRecord } from "../console/records/reports.js";
import { reportsRecord } from "../console/reports-record.js";
import { decisionChanges } from "../fiscalizer/writes.js";
import { openStore } from "../ledger/database.js";
import type { Ledger } from "../ledger/ledger.js";
import { SqliteLedger } from "../ledger/sqlite-ledger.js";
import type { StoreReading } from "../ledger/store-reading.js";
import { serviceCall } from "./call-service.js";
import type { RunningService } from "./find-running.js";
import { explained, inStore } from "./in-store.js";
import { serviceOrStore } from "./service-or-store.js";

export interface IncidentsSource {
  /** URL of the service; undefined if no service runs. */
  readonly url: string | undefined;
  /** @throws UserError */
  read(): Promise<ReportsRecord>;
  /** @throws UserError */
  confirm(ids: readonly number[]): Promise<void>;
  /** @throws UserError */
  decide(id: number, signed: boolean): Promise<void>;
}

/**
 * Returns the reports of the running service, or of the store.
 * @throws UserError if there is neither a service nor a store
 */
export function incidentsSource(config: LoadedConfig): Promise<IncidentsSource> {
  return serviceOrStore(config, ofService, ofStore);
}

function ofService(running: RunningService): IncidentsSource {
  const call = serviceCall(running, "/reports");
  const { url } = running;
  return {
    url,
    read: async () => (await call("GET", "")) as ReportsRecord,
    confirm: async (ids) => void (await call("POST", "/confirm", { ids })),
    decide: async (id, signed) => void (await call("POST", "/decide", { id, signed })),
  };
}

function ofStore(dataDir: string): IncidentsSource {
  return {
    url: undefined,
    read: () => inStore(dataDir, readStore),
    confirm: (ids) =>
      changed(dataDir, async (ledger) => {
        await ledger.commit(ids.map((id) => ({ kind: "confirm", id, at: systemClock.now() })));
      }),
    decide: (id, signed) =>
      changed(dataDir, async (ledger) => {
        const entry = (await ledger.openIntents()).find((open) => open.id === id);
        if (!entry) throw new UserError("this sale is no longer in doubt");
        await ledger.commit(decisionChanges(entry, await ledger.card(entry.uid), signed, systemClock.now()));
      }),
  };
}

/** Changes the store while no service runs. The lock of the data folder prevents a service from starting meanwhile. */
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

function readStore(store: StoreReading): ReportsRecord {
  const sales = store.openIntents().map((entry) => ({ entry, wayOut: "card" as const }));
  return reportsRecord({ sales, reports: store.openReports() });
}
