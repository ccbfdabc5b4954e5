/** The installed package for shops. */
import { join } from "node:path";

/** test/pcsc/run.mjs has installed it with npm, which needs the network that these tests do not have. */
export function installed(): string {
  const folder = process.env.TILLSEAL_TEST_INSTALLED;
  if (folder === undefined) throw new Error("start these tests with node test/pcsc/run.mjs");
  return folder;
}

export const installedCommand = () => join(installed(), "dist", "src", "cli.js");
