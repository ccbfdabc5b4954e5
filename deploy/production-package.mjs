/**
 * `npm run build:production`: a tarball for shops, which `npm ci` completes where it was unpacked. It has the service and
 * nothing that pretends: no emulator, no control interface, no fixtures, no development dependencies. What goes in is
 * listed, so that what is added to the project later stays out until somebody decides otherwise. Every version is exact,
 * every licence is one that may be shipped, and a software bill of materials lies inside and beside the tarball.
 */
import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "./npm.mjs";
import {
  besideTheBundle,
  bundledIn,
  exactly,
  licenceFaults,
  lockFor,
  readJson,
  scriptsOf,
  shippedPackages,
  wholeSbom,
} from "./supply-chain.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = process.argv[2] ?? join(root, "out");
const stage = join(out, "stage");

const CONTENT = [
  "LICENSE",
  "CHANGELOG.md",
  "docs/shop.md",
  "docs/reports.md",
  "docs/health.md",
  "docs/settings.md",
  "docs/windows.md",
  "deploy/systemd",
  "deploy/polkit",
];

rmSync(stage, { recursive: true, force: true });
mkdirSync(stage, { recursive: true });
// Compiled afresh: dist/ may hold files whose source is gone.
// Below the project, whose libraries the build needs.
mkdirSync(join(root, "out"), { recursive: true });
const build = mkdtempSync(join(root, "out", "build-"));
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
execFileSync(
  process.execPath,
  [tsc, "-p", join(root, "tsconfig.build.json"), "--declaration", "false", "--outDir", build],
  { stdio: "inherit" },
);
const bundle = join(build, "build", "bundle.js");
execFileSync(process.execPath, [bundle, join(stage, "dist"), "production"], { stdio: "inherit" });
// A shop unpacks the tarball itself: npm makes commands executable only where it installs them.
chmodSync(join(stage, "dist", "src", "cli.js"), 0o755);
const vite = join(root, "node_modules", "vite", "bin", "vite.js");
const consoleFiles = join(stage, "dist", "console");
execFileSync(process.execPath, [vite, "build", "--logLevel", "warn", "--outDir", consoleFiles], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TILLSEAL_EDITION: "production" },
});
const prepare = join(build, "build", "prepare.js");
execFileSync(process.execPath, [prepare, join(stage, "dist", "prepared"), "production"], { stdio: "inherit" });
rmSync(build, { recursive: true });
for (const path of CONTENT) cpSync(join(root, path), join(stage, path), { recursive: true });

const writeJson = (file, content) => writeFileSync(join(stage, file), `${JSON.stringify(content, null, 2)}\n`);

/** Libraries that only emulator/ uses. */
const EMULATOR_LIBRARIES = ["@faker-js/faker"];
const own = readJson(join(root, "package.json"));

// The versions that were tested are the versions that a shop gets.
const lock = readJson(join(root, "package-lock.json"));
const exact = {
  dependencies: exactly(besideTheBundle(own.dependencies, EMULATOR_LIBRARIES), lock),
  optionalDependencies: exactly(besideTheBundle(own.optionalDependencies), lock),
};
const shrinkwrap = lockFor(lock, exact);
writeJson("npm-shrinkwrap.json", shrinkwrap);
const { name, version, description, license, type, engines, bin } = own;
const allowScripts = scriptsOf(own.allowScripts, shrinkwrap);
writeJson("package.json", { name, version, description, license, type, engines, bin, ...exact, allowScripts });

const bundled = bundledIn(stage);
const faults = licenceFaults(shippedPackages(shrinkwrap, bundled));
if (faults.length > 0) throw new Error(`these must not be shipped:\n${faults.join("\n")}`);
const sbomOf = ["sbom", "--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"];
const sbom = JSON.parse(npm(sbomOf, { cwd: stage, encoding: "utf8", maxBuffer: 2 ** 28 }));
writeJson("sbom.json", wholeSbom(sbom, name, bundled));
writeFileSync(
  join(stage, "README.md"),
  readFileSync(join(root, "docs/shop.md"), "utf8").replaceAll(/\]\((?!#)/g, "](docs/"),
);

const packed = npm(["pack", "--json", "--pack-destination", out], { cwd: stage, encoding: "utf8" });
const [{ filename, size, entryCount }] = Object.values(JSON.parse(packed));
const tarball = join(out, `${name}-production-${version}.tgz`);
cpSync(join(out, filename), tarball);
rmSync(join(out, filename));
const bill = join(out, `${name}-production-${version}.sbom.json`);
cpSync(join(stage, "sbom.json"), bill);
rmSync(stage, { recursive: true, force: true });
console.log(`${tarball}: ${entryCount} files, ${Math.round(size / 1024)} kB`);
console.log(`${bill}: what is in it`);
