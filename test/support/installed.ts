/** The installed package for shops. */
import { dirname, join } from "node:path";

/** The package that test/pcsc/run.mjs has installed with npm, which needs the network that these tests do not have. */
export function installed(): string {
  const folder = process.env.TILLSEAL_TEST_INSTALLED;
  if (folder === undefined) throw new Error("start these tests with node test/pcsc/run.mjs");
  return folder;
}

/** Has the package's tarball and its bill of materials. */
export const packageFolder = () => dirname(installed());

export const installedCommand = () => join(installed(), "dist", "src", "cli.js");
