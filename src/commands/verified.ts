/** The check behind `tillseal verify`. */
import { StoreError } from "../ledger/database.js";
import { StoreReading } from "../ledger/store-reading.js";
import { type Verdict, verifyStore } from "../verify/verify-store.js";
import { UserError } from "./user-error.js";

/** @throws UserError if the store cannot be read */
export function verified(dataDir: string): { file: string; verdict: Verdict } {
  let store: StoreReading | undefined;
  try {
    store = StoreReading.open(dataDir);
    const verdict = verifyStore(store, showProgress);
    // Erase the progress line.
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
    return { file: store.file, verdict };
  } catch (error) {
    throw error instanceof StoreError ? new UserError(error.message) : error;
  } finally {
    store?.close();
  }
}

/** Shows progress on a terminal only. */
function showProgress(done: number, of: number): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`\r${done} of ${of} entries`);
}
