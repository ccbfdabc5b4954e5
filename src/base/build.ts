/** The program's version, and the commit that it was built from. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_VERSION } from "./package-root.js";
import { PREPARED_FOLDER } from "./prepared.js";

/** Name of the file in `dist/prepared` into which the build writes the commit. */
export const BUILD_FILE = "build.txt";

/** Returns the commit, such as `1a2b3c4d5e6f`; "" if the program was built without git. */
export function buildOf(folder = PREPARED_FOLDER): string {
  const file = join(folder, BUILD_FILE);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
}

/** Returns the version with the commit, such as `1.0.0-rc.1 (1a2b3c4d5e6f)`; only the version if there is no commit. */
export function versionText(build = buildOf()): string {
  return build === "" ? PACKAGE_VERSION : `${PACKAGE_VERSION} (${build})`;
}
