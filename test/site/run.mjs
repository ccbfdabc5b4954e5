/**
 * `npm run test:site`: builds the site for a path on a server, and opens it in a browser. Also asks npm whether each lock file of the
 * repository has every package that its package.json needs. Needs npm's registry.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { npmCommand } from "../../deploy/npm.mjs";
import { hasRegistry, installInCi, leaveOut } from "../support/needed.mjs";

const BROWSER = "/usr/bin/chromium-headless-shell";

if (!hasRegistry()) {
  leaveOut("the tests of the site; they need npm's registry");
  process.exit();
}
if (!existsSync(BROWSER)) installInCi(["chromium-headless-shell"]);
if (!existsSync(BROWSER)) {
  leaveOut("the tests of the site; they need: apt-get install chromium-headless-shell");
  process.exit();
}
const locks = execFileSync("git", ["ls-files", "*package-lock.json"], { encoding: "utf8" }).trim().split("\n");
/** npm waits for its registry while the site is built. */
const asked = locks.map((lock) => {
  const [npm, args] = npmCommand(["ci", "--dry-run", "--ignore-scripts", "--no-audit", "--prefix", dirname(lock)]);
  return once(spawn(npm, args, { stdio: ["ignore", "ignore", "inherit"] }), "exit");
});
execFileSync(process.execPath, ["build/site/build.mjs", "/tillseal/"], { stdio: "inherit" });
const playwright = ["node_modules/@playwright/test/cli.js", "test", "-c", "test/site/playwright.config.ts"];
const env = { TILLSEAL_TEST_CHROMIUM: BROWSER, ...process.env };
const { status } = spawnSync(process.execPath, playwright, { stdio: "inherit", env });
const statuses = [status, ...(await Promise.all(asked)).map(([of]) => of)];
process.exitCode = statuses.every((of) => of === 0) ? 0 : 1;
