/** The program's version, and the commit that it was built from. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PACKAGE_VERSION } from "./package-root.js";
import { PREPARED_FOLDER } from "./prepared.js";

/** Name of the file in `dist/prepared`; the build writes it. */
export const BUILD_FILE = "build.txt";

/** `1a2b3c4d5e6f`; "" if the program was built without git. */
export function buildOf(folder = PREPARED_FOLDER): string {
  const file = join(folder, BUILD_FILE);
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
}

/** `1.0.0-rc.1 (1a2b3c4d5e6f)`, or `1.0.0-rc.1`. */
export function versionText(build = buildOf()): string {
  return build === "" ? PACKAGE_VERSION : `${PACKAGE_VERSION} (${build})`;
}
