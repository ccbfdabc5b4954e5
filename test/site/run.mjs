/**
 * `npm run test:site`: builds the site for a path on a server, and opens it in a browser. Also asks npm whether each lock file of the
 * repository has every package that its package.json needs. Needs npm's registry.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { npm } from "../../deploy/npm.mjs";
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
for (const lock of locks)
  npm(["ci", "--dry-run", "--ignore-scripts", "--no-audit", "--prefix", dirname(lock)], {
    stdio: ["ignore", "ignore", "inherit"],
  });
execFileSync(process.execPath, ["build/site/build.mjs", "/tillseal/"], { stdio: "inherit" });
const playwright = ["node_modules/@playwright/test/cli.js", "test", "-c", "test/site/playwright.config.ts"];
const env = { TILLSEAL_TEST_CHROMIUM: BROWSER, ...process.env };
process.exitCode = spawnSync(process.execPath, playwright, { stdio: "inherit", env }).status ?? 1;
