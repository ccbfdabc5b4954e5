/** On Node 20 the first build makes SQLite, which may need a compiler. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

const { makeOldSqlite } = (await import(pathToFileURL(join(PACKAGE_ROOT, "build", "build.mjs")).href)) as {
  makeOldSqlite: (rebuild: () => void) => void;
};

it("a build without SQLite's compiler names the command that installs it", () => {
  const npm = () => execFileSync(process.execPath, ["-e", "process.exit(1)"]);
  expect(() => makeOldSqlite(npm)).toThrow(/Run `apt-get install build-essential python3` and the same command again/);
});
