import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

/** With it, an emulator under test takes its keys from files and does not make them. */
const KEPT_KEYS = `--import=${pathToFileURL(join(PACKAGE_ROOT, "test", "support", "kept-keys.mjs")).href}`;

/** The variables of a command under test, without those of the machine and the test suite: tillseal refuses unknown ones. */
export function environmentWith(variables: Record<string, string> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("TILLSEAL_"));
  const options = [process.env.NODE_OPTIONS, KEPT_KEYS].filter((option) => option !== undefined).join(" ");
  return { ...Object.fromEntries(own), NODE_OPTIONS: options, ...variables };
}

/** Whether a test may write to the device that is always full: some containers keep it from everyone but root. test/run.mjs names the tests. */
export const HAS_FULL_DEVICE = (() => {
  try {
    accessSync("/dev/full", constants.W_OK);
    return true;
  } catch {
    return false;
  }
})();
