/** Reads the record of `tillseal changes` from the store, also while the service runs. */
import { shownChanges } from "../bookkeeping/changes/shown.js";
import type { ShownChange } from "../bookkeeping/changes/shown-change.js";
import { inStore } from "./in-store.js";

/** Returns the changes, the oldest first. @throws UserError if the store cannot be read */
export function readChanges(dataDir: string): Promise<readonly ShownChange[]> {
  return inStore(dataDir, (store) => shownChanges(store.changes()));
}
