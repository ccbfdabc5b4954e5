/**
 * `npm run build`: compiles everything into `dist`. With `--if-changed` it does nothing if no source has changed since the
 * last build, so that one test runs in a second.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import "./node.mjs";

const ROOT = join(import.meta.dirname, "..");
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
/** The site's tools write below build/site, and tsc reads nothing there. */
const NOT_BUILT = /\.(test\.ts|spec\.ts|(?<!\.sr\.)md|png)$|node_modules|^build.site$/;
const STAMP = join(ROOT, "dist", ".built");
/** Has the id of the process that builds. */
const LOCK = join(ROOT, "dist", ".building");
const LOOK_AGAIN_MS = 200;
/** What a step does, if it takes longer than a second, and its program. */
const STEPS = [
  ["compiles the sources", "node_modules/typescript/bin/tsc", "-p", "tsconfig.build.json"],
  ["prepares schemas and scenarios", "dist/build/prepare.js"],
  ["bundles the program", "dist/build/bundle.js"],
  ["builds the console", "node_modules/vite/bin/vite.js", "build", "--logLevel", "warn"],
  ["", "dist/build/manuals.js"],
];

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
  for (const [what, ...program] of STEPS) {
    if (what !== "") console.error(`tillseal ${what} ...`);
    execFileSync(process.execPath, program, { cwd: ROOT, stdio: "inherit" });
  }
  writeFileSync(STAMP, newest);
}

export function buildIfChanged() {
  const hasChanged = () => !existsSync(STAMP) || readFileSync(STAMP, "utf8") !== newestChange();
  if (!hasChanged()) return;
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

/** Files of a folder that are built. Below test, packages are installed, with tens of thousands of others. */
const filesBelow = (folder) =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = join(folder, entry.name);
    if (NOT_BUILT.test(name)) return [];
    return entry.isDirectory() ? filesBelow(name) : entry.isFile() ? [name] : [];
  });

/**
 * The newest time of all sources, and a hash of their names, which notices a deleted file. The times of folders do not count: while
 * tests run, packages are installed below them.
 */
function newestChange() {
  const within = SOURCES.filter((folder) => existsSync(join(ROOT, folder))).flatMap(filesBelow);
  const newest = Math.max(...[...FILES, ...within].map((file) => statSync(join(ROOT, file)).mtimeMs));
  return `${newest} ${createHash("sha256").update(within.toSorted().join("\n")).digest("hex")}`;
}

if (process.argv[1] === import.meta.filename) {
  try {
    if (process.argv.includes("--if-changed")) buildIfChanged();
    else alone(build);
  } catch (error) {
    if (!("status" in error)) console.error(error.message);
    process.exitCode = 1;
  }
}
