/** Third-party packages in the package for shops, read from lock files without a network. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const LOCK = join(import.meta.dirname, "..", "package-lock.json");

export const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

/** Folders of `dist` into which vite puts libraries, and what people call them. */
const PLACES = { chunks: "in the program", console: "in the console" };

/** Libraries whose code vite has put into the program and into the console, each with `how` it is shipped. */
export function bundledIn(folder) {
  return Object.entries(PLACES).flatMap(([part, how]) =>
    readJson(join(folder, "dist", part, "licences.json")).map((library) => ({ ...library, how })),
  );
}

/** Licences that require only attribution. Packages with these licences may be shipped. */
const FREE = new Set(["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Zlib", "Bitstream-Vera"]);

const PREFIX = "node_modules/";
/** Brings Node to a checkout on a machine with an older one. It is not shipped. */
const OLDER_NODE = "build/older-node";

/**
 * Packages that npm installs in a shop, and those whose code vite has put into our files.
 * @param lock package-lock.json or npm-shrinkwrap.json
 * @param bundled libraries as {@link bundledIn} returns them
 */
export function shippedPackages(lock, bundled) {
  const older = Object.keys(lock.packages[OLDER_NODE]?.optionalDependencies ?? {}).map((name) => PREFIX + name);
  const installed = Object.entries(lock.packages).filter(
    ([path, { dev, link }]) => path.startsWith(PREFIX) && !dev && !link && !older.includes(path),
  );
  return [
    ...installed.map(([path, { name, version, license }]) => ({
      name: name ?? path.slice(path.lastIndexOf(PREFIX) + PREFIX.length),
      version,
      licence: license ?? "none",
      how: "installed by npm",
    })),
    ...bundled.map(({ name, version, identifier, how }) => ({ name, version, licence: identifier ?? "none", how })),
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

/** Checks an SPDX expression without nested brackets: one licence of OR must be free, and all of AND. Other forms are not free. */
function isFree(expression) {
  const plain = /^\((.*)\)$/.exec(expression)?.[1] ?? expression;
  return plain.split(" OR ").some((choice) => choice.split(" AND ").every((name) => FREE.has(name)));
}

/**
 * Packages that npm installs beside the bundle: native modules, and packages that a start seldom needs. `build/bundle.ts` puts
 * everything else into `dist/chunks`, and lists it with its licences in `dist/chunks/licences.json`.
 */
const BESIDE_THE_BUNDLE = ["@faker-js/faker", "ajv", "ajv-formats", "better-sqlite3", "koffi", "node-forge"];

/** The dependencies that are not in the bundle, except those in `leftOut`. */
export function besideTheBundle(dependencies = {}, leftOut = []) {
  const names = BESIDE_THE_BUNDLE.filter((name) => !leftOut.includes(name));
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => names.includes(name)));
}

/** package-lock.json as packages need it: npm does not compile SQLite, whose binary is there. */
export function shippedLock() {
  const { packages, ...lock } = readJson(LOCK);
  const { dependencies, ...sqlite } = packages[`${PREFIX}better-sqlite3`];
  return { ...lock, packages: { ...packages, [`${PREFIX}better-sqlite3`]: { ...sqlite, gypfile: false } } };
}

/** The part of a lock file that the manifest's dependencies need. @param manifest { dependencies, optionalDependencies } of the root */
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
      const place = placeOf(name, path, others);
      if (place === undefined) throw new Error(`package-lock.json has no ${name} for ${path}`);
      waiting.push(place);
    }
  }
  const kept = Object.entries(others).filter(([path]) => reached.has(path));
  return { ...lock, packages: { "": { ...root, ...manifest }, ...Object.fromEntries(kept) } };
}

/** The path of the package that Node finds from another package: the one in the nearest node_modules. */
function placeOf(name, from, packages) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf(`/${PREFIX}`)))) {
    const path = folder === "" ? PREFIX + name : `${folder}/${PREFIX}${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === "") return undefined;
  }
}

/** Dependencies with the versions of the lock file instead of ranges. */
export const exactly = (dependencies, lock) =>
  Object.fromEntries(Object.keys(dependencies).map((name) => [name, lock.packages[PREFIX + name].version]));

/**
 * npm's software bill of materials with our name, and with the libraries inside the bundle and the console, which npm cannot see.
 * @param sbom CycloneDX 1.5, as `npm sbom` writes it
 * @param name of the artefact; each has its own package URL
 */
export function wholeSbom(sbom, name, bundled) {
  const inside = bundled.map(({ name: library, version, identifier }) => ({
    name: library,
    version,
    purl: `pkg:npm/${library.replace("@", "%40")}@${version}`,
    licenses: [{ license: { id: identifier } }],
  }));
  // npm adds a random number and the time. Without them, the same commit makes the same bill.
  const { serialNumber, metadata, ...lasting } = sbom;
  const { timestamp, ...about } = metadata;
  const purl = name === "tillseal" ? metadata.component.purl : `pkg:generic/${name}@${metadata.component.version}`;
  const component = { ...metadata.component, name, purl };
  return withComponents({ ...lasting, metadata: { ...about, component } }, inside);
}

/** Adds libraries and their edges to the bill, without duplicates. @param libraries name, version, purl and licenses in CycloneDX's form */
export function withComponents(sbom, libraries) {
  const known = new Set(sbom.components.map(({ purl }) => purl));
  const others = new Map(libraries.filter(({ purl }) => !known.has(purl)).map((library) => [library.purl, library]));
  const added = [...others.values()].map(({ name, version, purl, licenses }) => ({
    "bom-ref": `${name}@${version}`,
    type: "library",
    name,
    version,
    scope: "required",
    purl,
    licenses,
  }));
  const components = [...sbom.components, ...added];
  return { ...sbom, components, dependencies: edges(sbom, added, components) };
}

/** Which component needs which: npm's edges between the listed components, and one from tillseal to each library that we add. */
function edges(sbom, added, components) {
  const root = sbom.metadata.component["bom-ref"];
  const present = new Set([root, ...components.map((component) => component["bom-ref"])]);
  const refs = added.map((component) => component["bom-ref"]);
  return [
    ...(sbom.dependencies ?? []).filter(({ ref }) => present.has(ref)),
    ...refs.map((ref) => ({ ref, dependsOn: [] })),
  ].map(({ ref, dependsOn = [] }) => ({
    ref,
    dependsOn: [...dependsOn, ...(ref === root ? refs : [])].filter((needed) => present.has(needed)),
  }));
}
