/** Reads the record of `tillseal changes` from the store, also while the service runs. */
import { shownChanges } from "../changes/shown.js";
import type { ShownChange } from "../changes/shown-change.js";
import { StoreError } from "../ledger/database.js";
import { StoreReading } from "../ledger/store-reading.js";
import { UserError } from "./user-error.js";

/** Oldest first. @throws UserError if the store cannot be read */
export function readChanges(dataDir: string): readonly ShownChange[] {
  let store: StoreReading | undefined;
  try {
    store = StoreReading.open(dataDir);
    return shownChanges(store.changes());
  } catch (error) {
    throw error instanceof StoreError ? new UserError(error.message) : error;
  } finally {
    store?.close();
  }
}
