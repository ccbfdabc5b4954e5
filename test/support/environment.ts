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
