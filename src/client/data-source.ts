/** Exports and erases data for `tillseal data`: in the store, or through the service that has the store open. */
import { setImmediate } from "node:timers/promises";
import { systemClock } from "../base/clock.js";
import { Eraser } from "../bookkeeping/eraser.js";
import { type Exported, exportData, type Wanted } from "../bookkeeping/export-data.js";
import type { LoadedConfig } from "../config/load.js";
import { toIso } from "../fiscal/time.js";
import { openStore } from "../ledger/database.js";
import type { ErasureCount } from "../ledger/erasing.js";
import { asCaller } from "../ledger/folder-owner.js";
import { SqliteLedger } from "../ledger/sqlite-ledger.js";
import { StoreReading } from "../ledger/store-reading.js";
import { callService } from "./call-service.js";
import type { RunningService } from "./find-running.js";
import { explained, inStore } from "./in-store.js";
import { serviceOrStore } from "./service-or-store.js";

/** @throws UserError */
export function exportFrom(dataDir: string, folder: string, wanted: Wanted): Promise<Exported> {
  return inStore(dataDir, (store) => asCaller(() => exportData(store, folder, wanted)));
}

export interface ErasureSource {
  /** Counts what {@link erase} would erase. @param before ms since the epoch @throws UserError */
  count(before: number): Promise<ErasureCount>;
  /** @throws UserError */
  erase(before: number): Promise<{ readonly erased: number; readonly note: string }>;
  close(): void;
}

/**
 * Returns the running service, or the store, to erase receipts from.
 * @throws UserError if there is neither a service nor a store
 */
export function erasureSource(config: LoadedConfig): Promise<ErasureSource> {
  return serviceOrStore(config, ofService, ofStore);
}

function ofService(running: RunningService): ErasureSource {
  const call = async (method: "GET" | "POST", path: string, body?: object): Promise<unknown> => {
    // Set no time limit, because a million receipts take long.
    const answer = await callService(running, method, path, body, Number.POSITIVE_INFINITY);
    return answer.json();
  };
  return {
    count: async (before) => (await call("GET", `/data/erasable?before=${toIso(before)}`)) as ErasureCount,
    erase: async (before) => {
      const { erased } = (await call("POST", "/data/erase", { before: toIso(before) })) as { erased: number };
      return {
        erased,
        note: "The service removes the last traces from its write-ahead log in the next pause of 3 s between sales",
      };
    },
    close: () => undefined,
  };
}

/** Works on the store while no service runs. The lock of the data folder prevents a service from starting meanwhile. */
function ofStore(dataDir: string): ErasureSource {
  // Fail if there is no store, instead of creating one.
  StoreReading.open(dataDir).close();
  const store = openStore(dataDir);
  const { access } = new SqliteLedger(store);
  const eraser = new Eraser({ access, pause: () => setImmediate() });
  return {
    count: (before) => explained(() => eraser.count(before)),
    erase: (before) =>
      explained(async () => {
        const erased = await eraser.erase({ before, by: "command", now: systemClock.now() });
        await access.rewrite();
        return { erased, note: "The store was rewritten and has no trace of them" };
      }),
    close: () => store.close(),
  };
}
