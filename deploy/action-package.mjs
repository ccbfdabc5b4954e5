/**
 * `node deploy/action-package.mjs [FOLDER]`, for action.yml: prints what npm installs for this version. Before tillseal is in npm's
 * registry, it makes the package of this checkout.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { npm } from "./npm.mjs";
import { npmSpec, PUBLISHER } from "./publisher.mjs";
import { ROOT } from "./stage.mjs";
import { readJson } from "./supply-chain.mjs";

const folder = resolve(process.argv[2] ?? join(ROOT, "out"));
const spec = npmSpec(readJson(join(ROOT, "package.json")).version);
if (PUBLISHER.repository === "") {
  const options = { cwd: ROOT, stdio: ["ignore", process.stderr, process.stderr] };
  if (!existsSync(join(ROOT, "node_modules"))) npm(["ci", "--no-audit", "--no-fund"], options);
  execFileSync(process.execPath, [join(ROOT, "deploy", "npm-package.mjs"), folder], options);
}
console.log(PUBLISHER.repository === "" ? join(folder, spec) : spec);
