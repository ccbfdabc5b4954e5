/** The folder `app` of the packages for Windows: tillseal and its dependencies in the locked versions, with Windows binaries. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bundledIn, readJson, wholeSbom } from "../supply-chain.mjs";
import { NODE_VERSION } from "./node.mjs";

/** Both need a compiler at the install, and the Node that lies beside has no use for the first. */
const LEFT_OUT = ["better-sqlite3-node20", "pcsclite"];
const PREFIX = "node_modules/";

/**
 * @param tarball of tillseal, as `npm pack` makes it
 * @param lock its package-lock.json or npm-shrinkwrap.json
 */
export function makeApp(folder, tarball, lock) {
  mkdirSync(folder, { recursive: true });
  execFileSync("tar", ["xzf", tarball, "-C", folder, "--strip-components", "1"]);
  const manifest = forWindows(readJson(join(folder, "package.json")));
  writeJson(join(folder, "package.json"), manifest);
  const locked = readJson(lock);
  rmSync(join(folder, "npm-shrinkwrap.json"), { force: true });
  writeJson(join(folder, "package-lock.json"), lockForWindows(locked, manifest));
  const ci = ["ci", "--omit=dev", "--os=win32", "--cpu=x64", "--ignore-scripts", "--no-audit", "--no-fund"];
  execFileSync("npm", ci, {
    cwd: folder,
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, npm_config_loglevel: "error" },
  });
  keepOneBinary(join(folder, PREFIX, "better-sqlite3"));
  writeJson(join(folder, "sbom.json"), bill(folder, manifest.name));
  return manifest.version;
}

/** npm leaves an optional package out where it does not fit the Node that runs npm. On Windows they are not optional. */
function forWindows({ optionalDependencies = {}, dependencies, scripts, allowScripts, ...manifest }) {
  const needed = Object.entries(optionalDependencies).filter(([name]) => !LEFT_OUT.includes(name));
  return { ...manifest, dependencies: { ...dependencies, ...Object.fromEntries(needed) } };
}

/** What only the packages that were left out use stays in the list; npm installs nothing that nothing asks for. */
function lockForWindows({ packages, ...lock }, { dependencies }) {
  const { optionalDependencies, ...root } = packages[""];
  const kept = Object.entries(packages).filter(([path]) => path !== "" && !LEFT_OUT.includes(path.replace(PREFIX, "")));
  const required = kept.map(([path, { optional, ...entry }]) =>
    path.replace(PREFIX, "") in dependencies ? [path, entry] : [path, { ...entry, ...(optional ? { optional } : {}) }],
  );
  return { ...lock, packages: { "": { ...root, dependencies }, ...Object.fromEntries(required) } };
}

/** What is in the package, Node and the libraries inside the bundle and the console too. CycloneDX */
function bill(folder, name) {
  const args = [
    "sbom",
    "--package-lock-only",
    "--omit=dev",
    "--sbom-format",
    "cyclonedx",
    "--sbom-type",
    "application",
  ];
  const sbom = JSON.parse(execFileSync("npm", args, { cwd: folder, encoding: "utf8", maxBuffer: 2 ** 28 }));
  const bundled = bundledIn(folder);
  const whole = wholeSbom(sbom, name, bundled);
  const node = {
    ...{
      "bom-ref": `node@${NODE_VERSION}`,
      type: "application",
      name: "node",
      version: NODE_VERSION,
      scope: "required",
    },
    licenses: [{ license: { id: "MIT" } }],
  };
  const inside = new Set(bundled.map((library) => library.name));
  // koffi names a package for each system, and npm installed one of them.
  const shipped = whole.components.filter(
    (part) => inside.has(part.name) || existsSync(join(folder, PREFIX, part.name)),
  );
  return { ...whole, components: [...shipped, node] };
}

/** better-sqlite3 carries its C sources, and binaries for every system. */
function keepOneBinary(folder) {
  for (const name of ["deps", "src", "binding.gyp"]) rmSync(join(folder, name), { recursive: true, force: true });
  const binaries = join(folder, "prebuilds");
  for (const name of readdirSync(binaries)) {
    if (name !== "win32-x64.node") rmSync(join(binaries, name), { recursive: true });
  }
  if (!existsSync(join(binaries, "win32-x64.node"))) throw new Error(`${folder} has no binary for Windows`);
}

const writeJson = (file, content) => writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
