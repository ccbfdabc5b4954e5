/**
 * `npm run build:npm [FOLDER]`: makes out/tillseal-VERSION.tgz, the published package with everything for developers. Versions are
 * exact, licences are checked, and a software bill of materials is beside the tarball.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { bundleSqlite } from "./app.mjs";
import { emulatorImage, publisherFields } from "./publisher.mjs";
import { writeNpmPages } from "./shop-pages.mjs";
import { billOf, compileInto, packAs, ROOT, writeJson } from "./stage.mjs";
import { besideTheBundle, exactly, lockFor, readJson, shippedLock } from "./supply-chain.mjs";

const out = resolve(process.argv[2] ?? join(ROOT, "out"));
const CONTENT = ["LICENSE", "CHANGELOG.md", "fixtures", "scenarios", "clients", "docs"];
/** Pictures are too large, the sources of generated pages run only in a checkout, and the other pages are for people who change tillseal. */
const isShipped = (path) =>
  !/\/docs\/((pictures|decisions|releasing\.md|torture\.md)$|.*\.ts$)/.test(path.replaceAll("\\", "/"));

mkdirSync(out, { recursive: true });
const stage = mkdtempSync(join(out, "npm-"));
compileInto(stage, "development");
// The package has no sources that maps could lead to.
const chunks = join(stage, "dist", "chunks");
for (const name of readdirSync(chunks)) if (name.endsWith(".map")) rmSync(join(chunks, name));
for (const path of CONTENT) cpSync(join(ROOT, path), join(stage, path), { recursive: true, filter: isShipped });

const { name, version, description, license, type, engines, bin, exports, ...own } = readJson(
  join(ROOT, "package.json"),
);
writeNpmPages(ROOT, stage, version);
const container = join(stage, "dist", "harness", "testcontainers.js");
writeFileSync(container, readFileSync(container, "utf8").replace("tillseal:emulator", emulatorImage(version)));
const lock = shippedLock();
const exact = {
  dependencies: exactly(besideTheBundle(own.dependencies), lock),
  optionalDependencies: exactly(besideTheBundle(own.optionalDependencies), lock),
};
const { peerDependencies, peerDependenciesMeta } = own;
const manifest = {
  name,
  version,
  description,
  license,
  ...publisherFields(),
  type,
  engines,
  bin,
  exports,
  ...exact,
  bundleDependencies: ["better-sqlite3"],
  peerDependencies,
  peerDependenciesMeta,
  // The tag keeps `npm install tillseal` from installing a release candidate.
  ...(version.includes("-") ? { publishConfig: { tag: "next" } } : {}),
};
writeJson(join(stage, "package.json"), manifest);
const bill = billOf(stage, name, lockFor(lock, exact));
// Remove our lock file: a project that installs tillseal has one, and may share libraries with tillseal.
rmSync(join(stage, "npm-shrinkwrap.json"));
bundleSqlite(stage, exact.dependencies["better-sqlite3"]);
packAs(join(out, `${name}-${version}.tgz`), stage, bill);
