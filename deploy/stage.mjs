/** Common steps of the package for npm and the package for shops: fill a folder, list its content, pack it. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative } from "node:path";
import { npm } from "./npm.mjs";
import { bundledIn, licenceFaults, readJson, shippedPackages, wholeSbom } from "./supply-chain.mjs";

export const ROOT = join(import.meta.dirname, "..");
const SHRINKWRAP = "npm-shrinkwrap.json";

export const writeJson = (file, content) => writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);

/**
 * Compiles everything into `stage/dist`, because the checkout's dist/ may have files of deleted sources.
 * @param edition "production" has no emulator; "development" has it, and types and modules for importers
 */
export function compileInto(stage, edition) {
  const dist = join(stage, "dist");
  const isProduction = edition === "production";
  // This folder is inside the project, because the build needs the project's libraries.
  mkdirSync(join(ROOT, "out"), { recursive: true });
  const build = mkdtempSync(join(ROOT, "out", "build-"));
  try {
    const tsc = tool("typescript", "bin", "tsc");
    const declaration = ["--declaration", String(!isProduction)];
    run(tsc, "-p", join(ROOT, "tsconfig.build.json"), ...declaration, "--outDir", build);
    run(join(build, "build", "bundle.js"), dist, edition);
    // npm makes commands executable only during installation, and a shop unpacks the tarball without npm.
    chmodSync(join(dist, "src", "cli.js"), 0o755);
    const vite = tool("vite", "bin", "vite.js");
    execFileSync(process.execPath, [vite, "build", "--logLevel", "warn", "--outDir", join(dist, "console")], {
      cwd: ROOT,
      stdio: "inherit",
      env: { ...process.env, ...(isProduction ? { TILLSEAL_EDITION: "production" } : {}) },
    });
    run(join(build, "build", "manuals.js"), join(dist, "console"));
    run(join(build, "build", "prepare.js"), join(dist, "prepared"), edition);
    if (!isProduction) copyForImporters(build, dist);
  } finally {
    rmSync(build, { recursive: true });
  }
}

/** Copies the modules outside the bundle that package.json exports, and the types that its entries reach. */
function copyForImporters(build, dist) {
  cpSync(join(build, "clients"), join(dist, "clients"), { recursive: true, filter: (path) => !path.endsWith(".d.ts") });
  cpSync(join(build, "harness", "testcontainers.js"), join(dist, "harness", "testcontainers.js"));
  const entries = Object.values(readJson(join(ROOT, "package.json")).exports).flatMap(({ types = [] }) => types);
  const files = entries.map((path) => relative("dist", path));
  for (const file of reachedTypes(files, (path) => readFileSync(join(build, path), "utf8")))
    cpSync(join(build, file), join(dist, file));
}

/** @param files paths of type declarations @returns these, and all that they import */
export function reachedTypes(files, read) {
  // The loop also takes the files that it adds.
  const reached = new Set(files);
  for (const file of reached) {
    for (const [, target] of read(file).matchAll(/(?:from|import\(?) ?"(\.[^"]*)\.js"/g))
      reached.add(join(dirname(file), `${target}.d.ts`));
  }
  return [...reached];
}

/**
 * Writes npm-shrinkwrap.json into the stage.
 * @param stage has package.json and dist/
 * @returns the list of everything in the stage and of what npm installs beside it (CycloneDX)
 * @throws Error if a package must not be shipped because of its licence
 */
export function billOf(stage, name, shrinkwrap) {
  const bundled = bundledIn(stage);
  const faults = licenceFaults(shippedPackages(shrinkwrap, bundled));
  if (faults.length > 0) throw new Error(`these must not be shipped:\n${faults.join("\n")}`);
  writeJson(join(stage, SHRINKWRAP), shrinkwrap);
  return wholeSbom(npmSbom(stage), name, bundled);
}

/** @returns the software bill of materials of a folder's lock file (CycloneDX) */
export function npmSbom(folder) {
  const format = ["--package-lock-only", "--sbom-format", "cyclonedx", "--sbom-type", "application"];
  return JSON.parse(npm(["sbom", "--loglevel=error", ...format], { cwd: folder, encoding: "utf8" }));
}

/** Lets every user read the content of a package, even if the umask of the user who makes it forbids that. */
function makeReadable(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    chmodSync(path, entry.isDirectory() || statSync(path).mode & 0o100 ? 0o755 : 0o644);
  }
}

/** Packs the stage as `file`, writes the bill of materials beside it, removes the stage, and prints both. */
export function packAs(file, stage, bill) {
  // npm gives the tarballs of both editions the same name.
  const folder = mkdtempSync(join(dirname(file), "packed-"));
  makeReadable(stage);
  const packed = npm(["pack", "--json", "--pack-destination", folder], { cwd: stage, encoding: "utf8" });
  const [{ filename, size, entryCount }] = Object.values(JSON.parse(packed));
  renameSync(join(folder, filename), file);
  for (const used of [folder, stage]) rmSync(used, { recursive: true });
  const billFile = file.replace(/\.tgz$/, ".sbom.json");
  writeJson(billFile, bill);
  console.log(`${file}: ${entryCount} files, ${Math.round(size / 1024)} kB`);
  console.log(`${billFile}: what is in it`);
}

function tool(...path) {
  return join(ROOT, "node_modules", ...path);
}

function run(program, ...args) {
  execFileSync(process.execPath, [program, ...args], { stdio: "inherit" });
}
