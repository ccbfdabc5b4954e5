/**
 * Runs the tests that need a PC/SC stack, in their own namespace: with koffi, and some of them with pcsclite too
 * if it was installed in test/pcsc/module. With CI=true it is installed first. With file names they run with koffi; `--pcsclite` chooses the other module.
 * They mostly wait, so two halves run side by side, each with a pcscd in its own namespace.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
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

/** Need neither the package for shops nor pcsclite, so they run while both are made. Half of the time goes into them. */
const FIRST = ["commands", "doctor", "doubts", "published-card", "threads", "two-readers"].map(
  (name) => `test/pcsc/${name}.test.ts`,
);

/** @returns the exit status */
async function run(suite, args, env = {}) {
  const [command, ...before] = [...namespace(), process.execPath, "node_modules/vitest/vitest.mjs", "run"];
  const child = spawn(command, [...before, ...args], {
    stdio: "inherit",
    // The name of the report.
    env: { ...process.env, ...(process.env.TILLSEAL_TEST_SUITE && { TILLSEAL_TEST_SUITE: suite }), ...env },
  });
  const [status] = await once(child, "exit");
  return status ?? 1;
}

const folder = mkdtempSync(join(tmpdir(), "tillseal-production-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const PCSCLITE = "--pcsclite";
const given = process.argv.slice(2);
const filtered = given.some((argument) => !argument.startsWith("-"));
const isWhole = !filtered && !given.includes(PCSCLITE);
const first = isWhole ? run("pcsc-first", ["--project", "pcsc", ...given, ...FIRST]) : Promise.resolve(0);
// Without namespaces there is one pcscd for all.
if (namespace().length === 0) await first;
const needsPackage = isWhole || given.some((argument) => argument.includes("production"));
const installed = needsPackage ? installProduction(folder) : "";
const projects = projectsFor(given).flatMap((name) => ["--project", name]);
const rest = isWhole ? FIRST.flatMap((name) => ["--exclude", name]) : [];
const status = await run("pcsc", [...projects, ...given.filter((argument) => argument !== PCSCLITE), ...rest], {
  // pcsclite is found there.
  NODE_PATH: resolve(MODULE_FOLDER, "node_modules"),
  ...(installed ? { TILLSEAL_TEST_INSTALLED: installed } : {}),
});
process.exit(Math.max(status, await first));
