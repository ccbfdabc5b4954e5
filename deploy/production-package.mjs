/**
 * `npm run build:production`: makes a tarball for shops. Unpack it and run `npm ci` in it. It has only the service: no emulator,
 * no control interface, no fixtures, no development dependencies. The content is listed here, so that files added to the project
 * later stay out by default. Every version is exact, every licence is one that may be shipped, and a software bill of materials is
 * in the tarball and beside it.
 */
import { cpSync, mkdirSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { publisherFields } from "./publisher.mjs";
import { writeShopPages } from "./shop-pages.mjs";
import { billOf, compileInto, packAs, ROOT, writeJson } from "./stage.mjs";
import { besideTheBundle, exactly, lockFor, readJson, shippedLock } from "./supply-chain.mjs";

const out = resolve(process.argv[2] ?? join(ROOT, "out"));
const stage = join(out, "stage");

const CONTENT = ["LICENSE", "deploy/systemd", "deploy/polkit"];

rmSync(stage, { recursive: true, force: true });
mkdirSync(stage, { recursive: true });
compileInto(stage, "production");
for (const path of CONTENT) cpSync(join(ROOT, path), join(stage, path), { recursive: true });

/** Only the emulator uses it. */
const EMULATOR_LIBRARIES = ["@faker-js/faker"];
const own = readJson(join(ROOT, "package.json"));

// A shop gets exactly the versions that were tested.
const lock = shippedLock();
const exact = {
  dependencies: exactly(besideTheBundle(own.dependencies, EMULATOR_LIBRARIES), lock),
  optionalDependencies: exactly(besideTheBundle(own.optionalDependencies), lock),
};
const shrinkwrap = lockFor(lock, exact);
const { name, version, description, license, type, engines, bin, allowScripts } = own;
writeJson(join(stage, "package.json"), {
  name,
  version,
  description,
  license,
  ...publisherFields(),
  type,
  engines,
  bin,
  ...exact,
  allowScripts,
});
const bill = billOf(stage, `${name}-production`, shrinkwrap);
writeJson(join(stage, "sbom.json"), bill);
writeShopPages(ROOT, stage);
packAs(join(out, `${name}-production-${version}.tgz`), stage, bill);
