/** Reads the store of a data folder, also while the service runs. Reading never creates or changes a store. */
import { StoreReading } from "../ledger/store-reading.js";

/**
 * Opens the store, runs a task with it, and closes it.
 * @throws StoreError if there is no store, or if it cannot be read
 */
export async function inStore<T>(dataDir: string, task: (store: StoreReading) => T | Promise<T>): Promise<T> {
  const store = StoreReading.open(dataDir);
  try {
    return await task(store);
  } finally {
    store.close();
  }
}
