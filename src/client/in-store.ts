/** Reads the store of a data folder, also while the service runs. Reading never creates or changes a store. */

import { UserError } from "../base/user-error.js";
import { StoreError } from "../ledger/database.js";
import { LedgerError } from "../ledger/ledger.js";
import { StoreReading } from "../ledger/store-reading.js";

/**
 * Opens the store, runs a task with it, and closes it.
 * @throws UserError if there is no store, or if it cannot be read
 */
export function inStore<T>(dataDir: string, task: (store: StoreReading) => T | Promise<T>): Promise<T> {
  return explained(async () => {
    const store = StoreReading.open(dataDir);
    try {
      return await task(store);
    } finally {
      store.close();
    }
  });
}

/**
 * Runs a task and turns an error of the store into a UserError, whose message the command prints.
 * @throws UserError, and other errors unchanged
 */
export async function explained<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    const isTold = error instanceof StoreError || error instanceof LedgerError;
    throw isTold ? new UserError(error.message) : error;
  }
}
