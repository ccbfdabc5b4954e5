/**
 * Runs SQLite's own check of a whole store. It runs in a child process, because a thread inside SQLite cannot be
 * ended: a stop of the service would wait for the check.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../base/package-root.js";

const CHILD = join(PACKAGE_ROOT, "dist", "src", "bookkeeping", "verify", "integrity-child.js");

/** @returns the lines about damage; an empty list if the store is undamaged */
export function integrityOf(dataDir: string, ended: AbortSignal): Promise<readonly string[]> {
  const options = { signal: ended, killSignal: "SIGKILL", windowsHide: true } as const;
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [CHILD, dataDir], options, (error, lines) => {
      if (error) reject(error);
      else resolve(lines.split("\n").filter((line) => line !== ""));
    });
  });
}
