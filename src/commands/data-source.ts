/** Behind `tillseal data`: the store, or the service that has it. */
import { setImmediate } from "node:timers/promises";
import { systemClock } from "../clock.js";
import type { LoadedConfig } from "../config/load.js";
import { ChangeLog } from "../ledger/change-log.js";
import { openStore, StoreError } from "../ledger/database.js";
import type { ErasureCount } from "../ledger/erasing.js";
import { SqliteLedger } from "../ledger/sqlite-ledger.js";
import { StoreReading } from "../ledger/store-reading.js";
import { Eraser } from "../retention/eraser.js";
import { type Exported, exportData, type Wanted } from "../retention/export-data.js";
import { callService } from "./call-service.js";
import type { Found } from "./find-running.js";
import { explained, serviceOrStore } from "./service-or-store.js";
import { UserError } from "./user-error.js";

/** @throws UserError */
export function exportFrom(dataDir: string, folder: string, wanted: Wanted): Exported {
  let store: StoreReading | undefined;
  try {
    store = StoreReading.open(dataDir);
    return exportData(store, folder, wanted);
  } catch (error) {
    throw error instanceof StoreError ? new UserError(error.message) : error;
  } finally {
    store?.close();
  }
}

export interface ErasureSource {
  /** @param before ISO 8601, UTC @throws UserError */
  count(before: string): Promise<ErasureCount>;
  /** @throws UserError */
  erase(before: string): Promise<{ readonly erased: number; readonly note: string }>;
  close(): void;
}

/** @throws UserError where there is neither a service nor a store */
export function erasureSource(config: LoadedConfig): Promise<ErasureSource> {
  return serviceOrStore(config, ofService, ofStore);
}

function ofService(found: Found): ErasureSource {
  const call = async (method: "GET" | "POST", path: string, body?: object): Promise<unknown> => {
    // A million receipts take their time.
    const answer = await callService(found, method, path, body, Number.POSITIVE_INFINITY);
    return answer.json();
  };
  return {
    count: async (before) => (await call("GET", `/data/erasable?before=${encodeURIComponent(before)}`)) as ErasureCount,
    erase: async (before) => {
      const { erased } = (await call("POST", "/data/erase", { before })) as { erased: number };
      return { erased, note: "The service overwrites the log at the next pause of 3 s" };
    },
    close: () => undefined,
  };
}

/** The folder's lock keeps a service from starting meanwhile. */
function ofStore(dataDir: string): ErasureSource {
  // It would be made.
  StoreReading.open(dataDir).close();
  const store = openStore(dataDir);
  const { access } = new SqliteLedger(store);
  const eraser = new Eraser({ access, changes: new ChangeLog(access), pause: () => setImmediate() });
  return {
    count: (before) => explained(() => eraser.count(before)),
    erase: (before) =>
      explained(async () => {
        const erased = await eraser.erase({ before, by: "command", now: systemClock.now() });
        await access.rewrite();
        return { erased, note: "The store was written anew: nothing of them is left in it" };
      }),
    close: () => store.close(),
  };
}
