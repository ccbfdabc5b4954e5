/**
 * The command line tests run the build, so it is made once before all tests, and only when a source has changed,
 * so that a single test runs in a second.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const SOURCES = ["src", "emulator", "build", "docs", "test", "fixtures", "scenarios"];
const FILES = ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json", "vite.config.ts"];
const NOT_BUILT = /\.(test\.ts|spec\.ts|md|png)$|node_modules/;
const STAMP = join("dist", ".built");

export default function build(): void {
  const newest = String(newestChange());
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === newest) return;
  execFileSync("npm", ["run", "build", "--silent"], { stdio: "inherit" });
  writeFileSync(STAMP, newest);
}

/** ms since the epoch. A folder's own time counts too: it changes when a file is deleted. */
function newestChange(): number {
  const within = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((name) => !NOT_BUILT.test(name))
      .map((name) => join(folder, name)),
  );
  return Math.max(...[...FILES, ...within].map((file) => statSync(file).mtimeMs));
}
