/** What comes from other people into the package for shops. Read from lock files, so that no network is needed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

/** Libraries whose code vite has put into the program and into the console. */
export function bundledIn(folder) {
  return ["chunks", "console"].flatMap((part) => readJson(join(folder, "dist", part, "licences.json")));
}

/** Licences that ask for nothing but to be named: what they cover may be shipped with a shop's till. */
const FREE = new Set(["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Zlib", "Bitstream-Vera"]);

const PREFIX = "node_modules/";

/**
 * Packages that npm installs in a shop, and those whose code is in the console's files.
 * @param lock package-lock.json or npm-shrinkwrap.json
 * @param bundled dist/console/licences.json, which vite writes
 */
export function shippedPackages(lock, bundled) {
  const installed = Object.entries(lock.packages).filter(([path, entry]) => path.startsWith(PREFIX) && !entry.dev);
  return [
    ...installed.map(([path, { name, version, license }]) => ({
      name: name ?? path.slice(path.lastIndexOf(PREFIX) + PREFIX.length),
      version,
      licence: license ?? "none",
      how: "installed by npm",
    })),
    ...bundled.map(({ name, version, identifier }) => ({
      name,
      version,
      licence: identifier ?? "none",
      how: "in the console",
    })),
  ];
}

/** One line for each package that must not be shipped. */
export function licenceFaults(packages) {
  const refused = packages.filter(({ licence }) => !isFree(licence));
  return refused.map(
    ({ name, version, licence, how }) =>
      `${name} ${version} (${how}): licence ${licence}; allowed are ${[...FREE].join(", ")}`,
  );
}

/** Of an SPDX expression without nested brackets: of OR one is enough, of AND all are needed. Anything else is not free. */
function isFree(expression) {
  const plain = /^\((.*)\)$/.exec(expression)?.[1] ?? expression;
  return plain.split(" OR ").some((choice) => choice.split(" AND ").every((name) => FREE.has(name)));
}

/**
 * What npm has to install beside the bundle: native modules, and what a start seldom needs. `build/bundle.ts` puts
 * everything else into `dist/chunks`, and lists it with its licences in `dist/chunks/licences.json`.
 */
const BESIDE_THE_BUNDLE = [
  "@faker-js/faker",
  "ajv",
  "ajv-formats",
  "better-sqlite3",
  "better-sqlite3-node20",
  "koffi",
  "node-forge",
  "pcsclite",
];

/** The dependencies of these that are not in the bundle, without those that `leftOut` names. */
export function besideTheBundle(dependencies = {}, leftOut = []) {
  const names = BESIDE_THE_BUNDLE.filter((name) => !leftOut.includes(name));
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => names.includes(name)));
}

/** The part of a lock file that these dependencies reach. @param manifest { dependencies, optionalDependencies } of the root */
export function lockFor({ packages, ...lock }, manifest) {
  const { "": project, ...others } = packages;
  const { devDependencies, peerDependencies, peerDependenciesMeta, ...root } = project;
  const reached = new Set();
  const waiting = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies }).map(
    (name) => PREFIX + name,
  );
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const {
      dependencies,
      optionalDependencies,
      peerDependencies: peers,
      peerDependenciesMeta: meta = {},
    } = others[path];
    const needed = Object.keys(peers ?? {}).filter((name) => meta[name]?.optional !== true);
    for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...needed]) {
      const found = placeOf(name, path, others);
      if (found === undefined) throw new Error(`package-lock.json has no ${name} for ${path}`);
      waiting.push(found);
    }
  }
  const kept = Object.entries(others).filter(([path]) => reached.has(path));
  return { ...lock, packages: { "": { ...root, ...manifest }, ...Object.fromEntries(kept) } };
}

/** Where Node finds a package from another one: in the nearest node_modules. */
function placeOf(name, from, packages) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(`/${PREFIX}`)))) {
    const path = folder === "" ? PREFIX + name : `${folder}/${PREFIX}${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === "") return undefined;
  }
}

/** Dependencies with the versions of the lock file in place of ranges. */
export function exactly(dependencies, lock) {
  const entries = Object.keys(dependencies).map((alias) => {
    const { name, version } = lock.packages[PREFIX + alias];
    return [alias, name === undefined || name === alias ? version : `npm:${name}@${version}`];
  });
  return Object.fromEntries(entries);
}

/** Of those packages that the lock file has. */
export function scriptsOf(allowScripts, lock) {
  const names = new Set(
    Object.entries(lock.packages).flatMap(([path, { name }]) => [path.replace(PREFIX, ""), name ?? ""]),
  );
  return Object.fromEntries(Object.entries(allowScripts).filter(([name]) => names.has(name)));
}

/**
 * The software bill of materials of npm, with our name and what it cannot see: the libraries inside the console.
 * @param sbom CycloneDX 1.5, as `npm sbom` writes it
 */
export function wholeSbom(sbom, name, bundled) {
  const inside = bundled.map(({ name: library, version, identifier }) => ({
    name: library,
    version,
    purl: `pkg:npm/${library.replace("@", "%40")}@${version}`,
    licenses: [{ license: { id: identifier } }],
  }));
  const component = { ...sbom.metadata.component, name };
  return withComponents({ ...sbom, metadata: { ...sbom.metadata, component } }, inside);
}

/** The bill with these libraries too, each once. @param libraries name, version, purl and licenses in CycloneDX's form */
export function withComponents(sbom, libraries) {
  const known = new Set(sbom.components.map(({ purl }) => purl));
  const added = libraries
    .filter(({ purl }) => !known.has(purl))
    .map(({ name, version, purl, licenses }) => ({
      "bom-ref": `${name}@${version}`,
      type: "library",
      name,
      version,
      scope: "required",
      purl,
      licenses,
    }));
  return { ...sbom, components: [...sbom.components, ...added] };
}
