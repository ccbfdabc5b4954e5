/** Runs the tests that need a PC/SC stack, in a namespace of their own. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { namespace, requirePcsc } from "./namespace.mjs";

requirePcsc("the tests through PC/SC");
/** The package for shops, made and installed as a shop does it, for test/pcsc/production.test.ts. */
function installProduction(folder) {
  execFileSync(process.execPath, ["deploy/production-package.mjs", folder], { stdio: "inherit" });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  const installed = join(folder, "installed");
  mkdirSync(installed);
  execFileSync("tar", ["xzf", join(folder, tarball), "-C", installed, "--strip-components", "1"]);
  const install = ["ci", "--omit=dev", "--prefix", installed, "--no-audit", "--no-fund"];
  execFileSync("npm", install, { stdio: ["ignore", "ignore", "inherit"] });
  return installed;
}

const folder = mkdtempSync(join(tmpdir(), "tillseal-production-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const filtered = process.argv.slice(2).some((argument) => !argument.startsWith("-"));
const needsPackage = !filtered || process.argv.some((argument) => argument.includes("production"));
const installed = needsPackage ? installProduction(folder) : "";
const [command, ...args] = [...namespace(), process.execPath, "node_modules/vitest/vitest.mjs", "run"];
const { status } = spawnSync(command, [...args, "--project", "pcsc", ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, TILLSEAL_TEST_SUITE: "pcsc", ...(installed ? { TILLSEAL_TEST_INSTALLED: installed } : {}) },
});
process.exit(status ?? 1);
