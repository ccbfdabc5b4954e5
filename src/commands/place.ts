/** Where a command reads and changes what a service keeps: in the service that runs, or else in its data folder. */
import type { ServicePlace } from "../client/call-service.js";
import { dataDirOf, keptFolderOf } from "../config/data-dir.js";
import type { LoadedConfig } from "../config/load.js";

/** Ends what a command says of a store, if the service was not asked. */
export const STORE_ONLY = "No service answers. This is the state of its store.";

/**
 * Runs a task with the service that runs, or with a service without a port on the data folder. A task that reads takes
 * no lock; one that changes does, so that no service starts meanwhile. @throws UserError if there is no store, either
 */
export async function atPlace<T>(
  config: LoadedConfig,
  purpose: "read" | "change",
  task: (place: ServicePlace) => Promise<T>,
): Promise<T> {
  const { findRunning, runningIfAny } = await import("../client/find-running.js");
  const { settings } = config;
  const running = await (keptFolderOf(settings) === undefined ? findRunning(config) : runningIfAny(config));
  if (running) return task(running);
  const { serviceWithoutPort } = await import("../service/without-port.js");
  const { openReadOnly } = await import("../ledger/store-reading.js");
  const { openStore } = await import("../ledger/database.js");
  const dataDir = dataDirOf(settings);
  const present = openReadOnly(dataDir);
  // Opening the store for a change would make a new one where none is.
  if (purpose === "change") present.close();
  const store = purpose === "change" ? openStore(dataDir) : present;
  try {
    return await task({ url: undefined, headers: {}, fetch: (await serviceWithoutPort({ settings, store })).fetch });
  } finally {
    store.close();
  }
}
