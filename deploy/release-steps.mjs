/** The steps of a release. The packages for Debian and Windows are made from the two tarballs. */
import { join } from "node:path";
import { ROOT } from "./stage.mjs";
import { readJson } from "./supply-chain.mjs";

/** @returns title of each step, and the arguments of Node in the repository that make its files in the folder */
export function releaseSteps(folder) {
  const { version } = readJson(join(ROOT, "package.json"));
  const npm = join(folder, `tillseal-${version}.tgz`);
  const shop = join(folder, `tillseal-production-${version}.tgz`);
  return [
    ["Package for npm", ["deploy/npm-package.mjs", folder]],
    ["Package for shops", ["deploy/production-package.mjs", folder]],
    ["Debian", ["deploy/debian/build.mjs", "--shop", shop, folder]],
    ["Windows", ["deploy/windows/build.mjs", "--shop", shop, "--npm", npm, folder]],
  ];
}
