/**
 * Runs the tests that need a PC/SC stack, in their own namespace: with koffi, and some of them with pcsclite too
 * if it was installed in test/pcsc/module. With CI=true it is installed first. With file names they run with koffi; `--pcsclite` chooses the other module.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { inCi, installInCi, leaveOut, succeeds } from "../support/needed.mjs";
import { namespace, requirePcsc } from "./namespace.mjs";

requirePcsc("the tests through PC/SC");
/** Builds and installs the package for shops, for test/pcsc/production.test.ts. */
function installProduction(folder) {
  execFileSync(process.execPath, ["deploy/production-package.mjs", folder], { stdio: "inherit" });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  const installed = join(folder, "installed");
  mkdirSync(installed);
  execFileSync("tar", ["xzf", join(folder, tarball), "-C", installed, "--strip-components", "1"]);
  const install = ["ci", "--omit=dev", "--ignore-scripts", "--prefix", installed, "--no-audit", "--no-fund"];
  execFileSync("npm", install, { stdio: ["ignore", "ignore", "inherit"] });
  return installed;
}

function projectsFor(given) {
  if (given.includes(PCSCLITE)) return ["pcsclite"];
  if (given.some((argument) => !argument.startsWith("-"))) return ["pcsc"];
  // The repository's npm runs no scripts, and hands this on to each npm below it; pcsclite is compiled by one.
  const compiling = ["ci", "--ignore-scripts=false", "--prefix", MODULE_FOLDER];
  if (inCi && !existsSync(MODULE)) {
    if (!succeeds("command -v g++ && command -v make && command -v python3")) installInCi(COMPILER);
    // npm may be set up with the headers of another Node, for which a compiled module does not load.
    const root = dirname(dirname(process.execPath));
    const headers = existsSync(join(root, "include", "node", "node.h")) ? { npm_config_nodedir: root } : {};
    execFileSync("npm", compiling, { stdio: "inherit", env: { ...process.env, ...headers } });
  }
  if (existsSync(MODULE)) return ["pcsc", "pcsclite"];
  leaveOut(`the tests with pcsclite; they need: npm ci --prefix ${MODULE_FOLDER}`);
  return ["pcsc"];
}

/** npm compiles pcsclite, so it is not among the dependencies. */
const COMPILER = ["build-essential", "python3"];
const MODULE_FOLDER = "test/pcsc/module";
const MODULE = join(MODULE_FOLDER, "node_modules", "pcsclite", "build");

const folder = mkdtempSync(join(tmpdir(), "tillseal-production-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const PCSCLITE = "--pcsclite";
const given = process.argv.slice(2);
const filtered = given.some((argument) => !argument.startsWith("-"));
const needsPackage =
  (!filtered && !given.includes(PCSCLITE)) || given.some((argument) => argument.includes("production"));
const installed = needsPackage ? installProduction(folder) : "";
const [command, ...args] = [...namespace(), process.execPath, "node_modules/vitest/vitest.mjs", "run"];
const projects = projectsFor(given).flatMap((name) => ["--project", name]);
const { status } = spawnSync(command, [...args, ...projects, ...given.filter((argument) => argument !== PCSCLITE)], {
  stdio: "inherit",
  // NODE_PATH: pcsclite is found there.
  env: {
    ...process.env,
    NODE_PATH: resolve(MODULE_FOLDER, "node_modules"),
    ...(installed ? { TILLSEAL_TEST_INSTALLED: installed } : {}),
  },
});
process.exit(status ?? 1);
