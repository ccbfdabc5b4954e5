/** Renames files on systems where other programs open every new file. */
import { renameSync } from "node:fs";
import { codeOf } from "./thrown.js";

/** Codes of the errors on Windows while a virus scanner or the search index has the file open. */
const HELD = new Set(["EPERM", "EACCES", "EBUSY"]);

/** ms between attempts. Their sum is less than a second, because the caller waits. */
const WAITS_MS = [10, 20, 40, 80, 160, 320];

/** Renames a file, and tries again on Windows if another program has it open. @throws the last error */
export function renamePatiently(from: string, to: string): void {
  for (const time of process.platform === "win32" ? WAITS_MS : []) {
    try {
      renameSync(from, to);
      return;
    } catch (error) {
      if (!HELD.has(codeOf(error) ?? "")) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, time);
  }
  renameSync(from, to);
}
