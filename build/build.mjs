/**
 * `npm run build`: compiles everything into `dist`. With `--if-changed` it does nothing if no source has changed since the
 * last build, so that one test runs in a second.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
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
/** Has the id of the process that builds. */
const LOCK = join(ROOT, "dist", ".building");
const LOOK_AGAIN_MS = 200;
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

const hasSqlite = () => Number(process.versions.napi) >= NODE_API || existsSync(OLD_SQLITE_FILE);

/** @param rebuild lets npm download or compile SQLite, and prints why not */
export function makeOldSqlite(rebuild = rebuildOldSqlite) {
  try {
    rebuild();
  } catch {
    throw new Error(
      `tillseal: npm could not make SQLite for Node ${process.versions.node}, which needs a compiler; its reason is above. ` +
        "Run `apt-get install build-essential python3` and the same command again. Node 22.14 or later needs no compiler.",
    );
  }
}

function rebuildOldSqlite() {
  npm(["rebuild", OLD_SQLITE, "--ignore-scripts=false"], { cwd: ROOT, stdio: "inherit" });
}

/** Lets one process at a time build. The lock of a process that was killed does not count. */
function alone(task) {
  mkdirSync(dirname(LOCK), { recursive: true });
  for (let locked = false; !locked; ) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: "wx" });
      locked = true;
    } catch {
      if (!isLocked()) rmSync(LOCK, { force: true });
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOOK_AGAIN_MS);
    }
  }
  try {
    // First, because a missing compiler stops everything else.
    if (!hasSqlite()) makeOldSqlite();
    task();
  } finally {
    rmSync(LOCK, { force: true });
  }
}

/** @throws Error if a step fails; the compiler has printed why */
function build() {
  // A file that changes while this runs is built the next time.
  const newest = newestChange();
  rmSync(STAMP, { force: true });
  for (const step of STEPS) execFileSync(process.execPath, step, { cwd: ROOT, stdio: "inherit" });
  writeFileSync(STAMP, newest);
}

export function buildIfChanged() {
  const hasChanged = () => !existsSync(STAMP) || readFileSync(STAMP, "utf8") !== newestChange();
  if (!hasChanged() && hasSqlite()) return;
  alone(() => {
    // Another process may have built meanwhile.
    if (hasChanged()) build();
  });
}

function isLocked() {
  try {
    return process.kill(Number(readFileSync(LOCK)), 0);
  } catch (error) {
    return error.code !== "ESRCH";
  }
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
    else alone(build);
  } catch (error) {
    if (!("status" in error)) console.error(error.message);
    process.exitCode = 1;
  }
}
