/**
 * Runs SQLite's own check of a whole store, and the check of each receipt. They run in a child process, because a thread inside SQLite cannot be
 * ended: a stop of the service would wait for the check.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { PACKAGE_ROOT } from "../../base/package-root.js";
import type { Integrity } from "../../ledger/sqlite-ledger.js";

const CHILD = join(PACKAGE_ROOT, "dist", "src", "bookkeeping", "verify", "integrity-child.js");

/** @throws Error if the check was ended or failed */
export async function integrityOf(dataDir: string, ended: AbortSignal): Promise<Integrity> {
  const options = { signal: ended, killSignal: "SIGKILL", windowsHide: true } as const;
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, dataDir], options);
  return JSON.parse(stdout) as Integrity;
}
