/** tillseal and the packages outside its bundle, in the locked versions and with the binaries of one platform. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { npm } from "./npm.mjs";
import { writeJson } from "./stage.mjs";
import { besideTheBundle, bundledIn, lockFor, readJson, wholeSbom } from "./supply-chain.mjs";

/** SQLite for Node 20. It needs a compiler during installation. */
export const FOR_NODE_20 = "better-sqlite3-node20";
const MODULES = "node_modules";

/**
 * Makes the folder on any machine: npm takes the packages of the platform, and compiles nothing.
 * @param tarball of tillseal, as `npm pack` makes it
 * @param lock its package-lock.json or npm-shrinkwrap.json
 * @param platform { os: "linux", cpu: "x64", libc: "glibc" } in npm's words
 * @returns the version of tillseal, and its software bill of materials (CycloneDX)
 */
export function makeApp(folder, tarball, lock, platform) {
  unpackInto(folder, tarball);
  const { dependencies, optionalDependencies, scripts, allowScripts, ...manifest } = readJson(
    join(folder, "package.json"),
  );
  // npm skips optional packages that do not fit the Node that runs npm. The target needs them, so they become dependencies.
  const needed = { dependencies: besideTheBundle({ ...dependencies, ...optionalDependencies }, [FOR_NODE_20]) };
  const locked = lockFor(readJson(lock), needed);
  for (const name of Object.keys(needed.dependencies)) delete locked.packages[`${MODULES}/${name}`].optional;
  delete locked.packages[""].optionalDependencies;
  rmSync(join(folder, "npm-shrinkwrap.json"), { force: true });
  writeJson(join(folder, "package.json"), { ...manifest, ...needed });
  writeJson(join(folder, "package-lock.json"), locked);

  const flags = Object.entries(platform).map(([name, value]) => `--${name}=${value}`);
  installLocked(folder, flags);
  const sbom = sbomOf(folder);
  keepWhatRuns(join(folder, MODULES), platform);
  for (const name of ["sbom.json", "package-lock.json", `${MODULES}/.package-lock.json`])
    rmSync(join(folder, name), { force: true });
  const present = {
    ...sbom,
    components: sbom.components.filter(({ name, group }) => existsSync(join(folder, MODULES, group ?? "", name))),
  };
  return { version: manifest.version, sbom: wholeSbom(present, manifest.name, bundledIn(folder)) };
}

/** @param tarball as `npm pack` makes it */
export function unpackInto(folder, tarball) {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["xzf", tarball, "-C", folder, "--strip-components", "1"]);
}

/** Installs what package-lock.json names for one platform, and compiles nothing. @param platform flags of npm, such as `--os=win32` */
export function installLocked(folder, platform) {
  const flags = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...platform];
  npm(["ci", ...flags], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

/** The software bill of materials of package-lock.json (CycloneDX). @param flags more flags of npm */
export function sbomOf(folder, ...flags) {
  const format = ["--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application", ...flags];
  return JSON.parse(
    npm(["sbom", "--loglevel=error", ...format], { cwd: folder, encoding: "utf8", maxBuffer: 2 ** 28 }),
  );
}

/** better-sqlite3 carries C sources and binaries for every system; koffi its sources; node-addon-api is headers only. */
function keepWhatRuns(modules, { os, cpu, libc }) {
  const binary = `${os}-${cpu}.node`;
  const sqlite = join(modules, "better-sqlite3");
  if (!existsSync(join(sqlite, "prebuilds", binary))) throw new Error(`better-sqlite3 has no ${binary}`);
  keepOnly(join(sqlite, "prebuilds"), new RegExp(`^${binary}$`));
  keepOnly(sqlite, /^(lib|prebuilds|package\.json|LICENSE)$/);
  keepOnly(join(modules, "koffi"), /^(index|indirect|src$|package\.json$|LICENSE)/);
  removeAll(modules, /\.(cc|hh|h|c|inc|S|asm|vcxproj|txt|md|d\.ts|map)$|^\.|^(spec|test)$/i);
  const native = join(modules, "@koromix", `koffi-${os}-${cpu}`);
  if (libc === "glibc") rmSync(join(native, `musl_${cpu}`), { recursive: true, force: true });
  for (const file of readdirSync(native, { recursive: true })) {
    if (file.endsWith(".node")) chmodSync(join(native, file), 0o644);
  }
  rmSync(join(modules, "node-addon-api"), { recursive: true, force: true });
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
