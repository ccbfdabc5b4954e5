/** The check behind `tillseal verify`. */
import { type StoreVerdict, verifyStore } from "../bookkeeping/verify/verify-store.js";
import { inStore } from "../client/in-store.js";

/** @throws UserError if the store cannot be read */
export function verified(dataDir: string): Promise<{ file: string; verdict: StoreVerdict }> {
  return inStore(dataDir, (store) => {
    const verdict = verifyStore(store, showProgress);
    // Erase the progress line.
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
    return { file: store.file, verdict };
  });
}

/** Shows progress on a terminal only. */
function showProgress(done: number, of: number): void {
  if (!process.stderr.isTTY) return;
  process.stderr.write(`\r${done} of ${of} entries`);
}
