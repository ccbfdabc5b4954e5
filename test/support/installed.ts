/** The installed package for shops. */
import { join } from "node:path";

/** The package that test/pcsc/run.mjs has installed with npm, which needs the network that these tests do not have. */
export function installed(): string {
  const folder = process.env.TILLSEAL_TEST_INSTALLED;
  if (folder === undefined) throw new Error("start these tests with node test/pcsc/run.mjs");
  return folder;
}

export const installedCommand = () => join(installed(), "dist", "src", "cli.js");
