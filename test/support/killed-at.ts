/** Runs code that imports the built package, and kills it in the middle. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

const KILLER = pathToFileURL(join(PACKAGE_ROOT, "test", "support", "killed-at.mjs")).href;

/** The address of a built file, as an import in the code writes it. */
export const built = (...file: string[]) => JSON.stringify(pathToFileURL(join(PACKAGE_ROOT, "dist", ...file)).href);

/** @param code calls `killAt(nth)`: it is killed before its nth change of the file system from then on @returns whether it was killed */
export function wasKilled(code: string): Promise<boolean> {
  const args = ["--import", KILLER, "--input-type=module", "--eval", code];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, (error, _, stderr) => {
      if (error && error.signal !== "SIGKILL") reject(new Error(stderr));
      else resolve(error !== null);
    });
  });
}
