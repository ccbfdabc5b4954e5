/** What comes from other people into the package for shops. Read from lock files, so that no network is needed. */
import { readFileSync } from "node:fs";

export const readJson = (file) => JSON.parse(readFileSync(file, "utf8"));

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
  const known = new Set(sbom.components.map(({ purl }) => purl));
  const inside = bundled
    .map((library) => ({ ...library, purl: `pkg:npm/${library.name.replace("@", "%40")}@${library.version}` }))
    .filter(({ purl }) => !known.has(purl))
    .map(({ name: library, version, identifier, purl }) => ({
      "bom-ref": `${library}@${version}`,
      type: "library",
      name: library,
      version,
      scope: "required",
      purl,
      licenses: [{ license: { id: identifier } }],
    }));
  const component = { ...sbom.metadata.component, name };
  return { ...sbom, metadata: { ...sbom.metadata, component }, components: [...sbom.components, ...inside] };
}
