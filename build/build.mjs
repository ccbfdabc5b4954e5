/**
 * `npm run build`: compiles everything into `dist`. With `--if-changed` it does nothing if no source has changed since the
 * last build, so that one test runs in a second.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "../deploy/npm.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = [
  "src",
  "emulator",
  "harness",
  "build",
  "clients/typescript",
  "docs/manuals",
  "test",
  "fixtures",
  "scenarios",
];
const FILES = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json", "vite.config.ts"];
const NOT_BUILT = /\.(test\.ts|spec\.ts|(?<!\.sr\.)md|png)$|node_modules/;
const STAMP = join(ROOT, "dist", ".built");
const STEPS = [
  ["node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"],
  ["dist/build/prepare.js"],
  ["dist/build/bundle.js"],
  ["node_modules/vite/bin/vite.js", "build", "--logLevel", "warn"],
  ["dist/build/manuals.js"],
];

/** SQLite for Node 20 and for Node 22 before 22.14. .npmrc keeps npm from compiling it during installation. */
const OLD_SQLITE = "better-sqlite3-node20";
const OLD_SQLITE_FILE = join(ROOT, "node_modules", OLD_SQLITE, "build", "Release", "better_sqlite3.node");
const NODE_API = 10;

function makeOldSqlite() {
  if (Number(process.versions.napi) >= NODE_API || existsSync(OLD_SQLITE_FILE)) return;
  npm(["rebuild", OLD_SQLITE, "--ignore-scripts=false"], { cwd: ROOT, stdio: "inherit" });
}

/** @throws Error if a step fails; the compiler has printed why */
export function build() {
  // A file that changes while this runs is built the next time.
  const newest = newestChange();
  rmSync(STAMP, { force: true });
  makeOldSqlite();
  for (const step of STEPS) execFileSync(process.execPath, step, { cwd: ROOT, stdio: "inherit" });
  writeFileSync(STAMP, newest);
}

export function buildIfChanged() {
  if (!existsSync(STAMP) || readFileSync(STAMP, "utf8") !== newestChange()) build();
}

/**
 * The newest time of all sources, and a hash of their names, which notices a deleted file. The times of folders do not count: while
 * tests run, packages are installed below them.
 */
function newestChange() {
  const within = SOURCES.filter((folder) => existsSync(join(ROOT, folder))).flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => relative(ROOT, join(parentPath, name)))
      .filter((name) => !NOT_BUILT.test(name)),
  );
  const newest = Math.max(...[...FILES, ...within].map((file) => statSync(join(ROOT, file)).mtimeMs));
  return `${newest} ${createHash("sha256").update(within.toSorted().join("\n")).digest("hex")}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    if (process.argv.includes("--if-changed")) buildIfChanged();
    else build();
  } catch {
    process.exitCode = 1;
  }
}
