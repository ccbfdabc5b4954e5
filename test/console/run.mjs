/**
 * Runs the tests that need a browser. CI=true installs missing packages and makes leaving anything out a failure. As root they get
 * their own network: beside containers, which add network interfaces, Chromium ends requests with ERR_NETWORK_CHANGED.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIfChanged } from "../../build/build.mjs";
import { namespace } from "../pcsc/namespace.mjs";
import { installInCi, leaveOut } from "../support/needed.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const REPORT = join(ROOT, "out", "console", "report.json");
/** Chromium without its windows needs a third less processor time. Where it is not to be had, the whole browser will do. */
const SHELL = "/usr/bin/chromium-headless-shell";
const WHOLE = "/usr/bin/chromium";
const CHROMIUM = process.env.TILLSEAL_TEST_CHROMIUM ?? (existsSync(WHOLE) && !existsSync(SHELL) ? WHOLE : SHELL);
const BROWSER = { file: CHROMIUM, name: "chromium-headless-shell" };
/** Fonts for the receipts as on a shop's machine, a second PDF reader, and one for workbooks. Tests name what they need (`needs` in till.ts). */
const MORE = [
  { file: "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf", name: "fonts-dejavu-core" },
  { file: "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf", name: "fonts-noto-color-emoji" },
  { file: "/usr/bin/pdftoppm", name: "poppler-utils" },
  { file: "/usr/bin/unzip", name: "unzip" },
];
const run = (command, args, env = {}) =>
  spawnSync(command, args, { cwd: ROOT, stdio: "inherit", env: { ...process.env, ...env } }).status;

const namesOf = (missing) => missing.map(({ name }) => name).join(" ");
const missingOf = (all) => all.filter(({ file }) => !existsSync(file));
installInCi(missingOf([BROWSER, ...MORE]).map(({ name }) => name));
if (missingOf([BROWSER]).length > 0) {
  leaveOut(`the browser's tests; they need: apt-get install ${namesOf(missingOf([BROWSER, ...MORE]))}`);
  process.exit();
}
const missing = missingOf(MORE);

rmSync(REPORT, { force: true });
mkdirSync(dirname(REPORT), { recursive: true });
buildIfChanged();
const playwright = join(ROOT, "node_modules", "@playwright", "test", "cli.js");
const config = ["-c", join(ROOT, "test", "console", "playwright.config.ts")];
const [command, ...args] = [...namespace(), process.execPath, playwright, "test", ...config, ...process.argv.slice(2)];
const status = run(command, args, {
  TILLSEAL_TEST_CHROMIUM: CHROMIUM,
  TILLSEAL_TEST_MISSING: namesOf(missing),
});
if (missing.length > 0) leaveOut(`some of the browser's tests; they need: apt-get install ${namesOf(missing)}`);

const reports = process.env.TILLSEAL_TEST_REPORTS;
if (reports !== undefined && existsSync(REPORT)) {
  const { expected, unexpected, flaky, skipped } = JSON.parse(readFileSync(REPORT, "utf8")).stats;
  // A skipped test has not passed. Playwright names the flaky ones, which passed at the second try (see its configuration).
  const counts = { numPassedTests: expected + flaky, numFailedTests: unexpected + skipped };
  writeFileSync(join(reports, "console.json"), JSON.stringify(counts));
}
process.exit(status === 0 ? process.exitCode : (status ?? 1));
