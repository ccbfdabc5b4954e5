/**
 * `npm run build:production`: a tarball for shops that installs with npm. It has the service and nothing that pretends: no
 * emulator, no control interface, no fixtures, no development dependencies. What goes in is listed, so that what is
 * added to the project later stays out until somebody decides otherwise.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const out = process.argv[2] ?? join(root, "out");
const stage = join(out, "stage");

/** The one file of src/ that exists for the emulator only. */
const EMULATOR_LOADER = "dist/src/commands/emulator.js";
const CONTENT = ["LICENSE", "CHANGELOG.md", "docs/shop.md", "docs/settings.md", "deploy/systemd", "deploy/polkit"];

rmSync(stage, { recursive: true, force: true });
mkdirSync(stage, { recursive: true });
// Compiled afresh: dist/ may hold files whose source is gone.
const build = join(out, "build");
rmSync(build, { recursive: true, force: true });
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
execFileSync(
  process.execPath,
  [tsc, "-p", join(root, "tsconfig.build.json"), "--declaration", "false", "--outDir", build],
  { stdio: "inherit" },
);
cpSync(join(build, "src"), join(stage, "dist", "src"), { recursive: true });
const vite = join(root, "node_modules", "vite", "bin", "vite.js");
const consoleFiles = join(stage, "dist", "console");
execFileSync(process.execPath, [vite, "build", "--logLevel", "warn", "--outDir", consoleFiles], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, TILLSEAL_EDITION: "production" },
});
rmSync(build, { recursive: true });
for (const path of CONTENT) cpSync(join(root, path), join(stage, path), { recursive: true });
// Without the emulator there is nothing to load; the import itself would only invite somebody to put one there.
writeFileSync(join(stage, EMULATOR_LOADER), "export const loadEmulator = async () => undefined;\n");

/** Libraries that only emulator/ uses. */
const EMULATOR_LIBRARIES = ["@faker-js/faker"];
const { name, version, description, license, type, engines, bin, dependencies, optionalDependencies, allowScripts } =
  JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
for (const library of EMULATOR_LIBRARIES) delete dependencies[library];
const manifest = {
  name,
  version,
  description,
  license,
  type,
  engines,
  bin,
  dependencies,
  optionalDependencies,
  allowScripts,
};
writeFileSync(join(stage, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
writeFileSync(
  join(stage, "README.md"),
  readFileSync(join(root, "docs/shop.md"), "utf8").replaceAll(/\]\((?!#)/g, "](docs/"),
);

// The versions that were tested are the versions that a shop gets.
const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
const { "": own, ...others } = lock.packages;
const kept = Object.entries(others).filter(
  ([path, entry]) => !entry.dev && !EMULATOR_LIBRARIES.includes(path.replace("node_modules/", "")),
);
const { devDependencies, peerDependencies, peerDependenciesMeta, ...ownKept } = { ...own, dependencies };
const packages = { "": ownKept, ...Object.fromEntries(kept) };
writeFileSync(join(stage, "npm-shrinkwrap.json"), `${JSON.stringify({ ...lock, packages }, null, 2)}\n`);

const packed = execFileSync("npm", ["pack", "--json", "--pack-destination", out], { cwd: stage, encoding: "utf8" });
const [{ filename, size, entryCount }] = Object.values(JSON.parse(packed));
const tarball = join(out, `${name}-production-${version}.tgz`);
cpSync(join(out, filename), tarball);
rmSync(join(out, filename));
rmSync(stage, { recursive: true, force: true });
console.log(`${tarball}: ${entryCount} files, ${Math.round(size / 1024)} kB`);
