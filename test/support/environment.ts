import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

/** The built command. */
export const CLI = join(PACKAGE_ROOT, "dist", "src", "cli.js");

/** The variables of a command under test, without those of the machine and the test suite: tillseal refuses unknown ones. */
export function environmentWith(variables: Record<string, string> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith("TILLSEAL_"));
  return { ...Object.fromEntries(own), ...variables };
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

const succeeds = (command: string, ...args: string[]) => spawnSync(command, args, { stdio: "ignore" }).status === 0;

/** A minimal Debian has no curl. test/run.mjs names the tests that need it. */
export const HAS_CURL = succeeds("curl", "--version");

/** Whether root may mount: most containers forbid it. test/run.mjs names the test that needs it. */
export const MAY_MOUNT = process.getuid?.() === 0 && succeeds("unshare", "-m", "true");

/** Begins a command of another user, without a home folder and variables. */
export const OTHER_USER = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups", "env", "-i"] as const;

const READS = `require("node:fs").accessSync(${JSON.stringify(join(PACKAGE_ROOT, "package.json"))})`;

/** Whether root may run commands as another user, who can read this checkout. test/run.mjs names the tests that need it. */
export const MAY_BE_OTHER_USER =
  process.getuid?.() === 0 && succeeds(OTHER_USER[0], ...OTHER_USER.slice(1), process.execPath, "-e", READS);
