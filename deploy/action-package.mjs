/**
 * `node deploy/action-package.mjs [FOLDER]`, for action.yml: prints what npm installs for this version, or before its release for the newest
 * one. Before tillseal is in npm's registry, it makes the package of this checkout.
 */
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { npm } from "./npm.mjs";
import { publishedSpec } from "./publisher.mjs";
import { ROOT } from "./stage.mjs";
import { readJson } from "./supply-chain.mjs";

const { version } = readJson(join(ROOT, "package.json"));
/** @returns the version that npm has; "" if it has none */
function inNpm(name) {
  try {
    return npm(["view", name, "version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "";
  }
}

/** Makes the package of this checkout. @returns its path */
function made() {
  const folder = resolve(process.argv[2] ?? join(ROOT, "out"));
  const options = { cwd: ROOT, stdio: ["ignore", process.stderr, process.stderr] };
  if (!existsSync(join(ROOT, "node_modules"))) npm(["ci", "--no-audit", "--no-fund"], options);
  execFileSync(process.execPath, [join(ROOT, "deploy", "npm-package.mjs"), folder], options);
  return join(folder, `tillseal-${version}.tgz`);
}

console.log(publishedSpec(version, inNpm) ?? made());
