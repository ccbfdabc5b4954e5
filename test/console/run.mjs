/** Runs the tests that need a browser. CI=true installs missing packages and makes leaving anything out a failure. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIfChanged } from "../../build/build.mjs";
import { installInCi, leaveOut } from "../support/needed.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const REPORT = join(ROOT, "out", "console", "report.json");
/** Chromium without its windows needs a third less processor time. Where it is not to be had, the whole browser will do. */
const SHELL = "/usr/bin/chromium-headless-shell";
const WHOLE = "/usr/bin/chromium";
const CHROMIUM = process.env.TILLSEAL_TEST_CHROMIUM ?? (existsSync(WHOLE) && !existsSync(SHELL) ? WHOLE : SHELL);
/** The browser, fonts for the receipts as on a shop's machine, and a second PDF reader. */
const NEEDED = [
  { file: CHROMIUM, name: "chromium-headless-shell" },
  { file: "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf", name: "fonts-dejavu-core" },
  { file: "/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf", name: "fonts-noto-color-emoji" },
  { file: "/usr/bin/pdftoppm", name: "poppler-utils" },
  { file: "/usr/bin/unzip", name: "unzip" },
];
const run = (command, args, env = {}) =>
  spawnSync(command, args, { cwd: ROOT, stdio: "inherit", env: { ...process.env, ...env } }).status;

const missing = () => NEEDED.filter(({ file }) => !existsSync(file)).map(({ name }) => name);
installInCi(missing());
if (missing().length > 0) {
  leaveOut(`the browser's tests; they need: apt-get install ${missing().join(" ")}`);
  process.exit();
}

rmSync(REPORT, { force: true });
mkdirSync(dirname(REPORT), { recursive: true });
buildIfChanged();
const playwright = join(ROOT, "node_modules", "@playwright", "test", "cli.js");
const config = ["-c", join(ROOT, "test", "console", "playwright.config.ts")];
const status = run(process.execPath, [playwright, "test", ...config, ...process.argv.slice(2)], {
  TILLSEAL_TEST_CHROMIUM: CHROMIUM,
});

const reports = process.env.TILLSEAL_TEST_REPORTS;
if (reports !== undefined && existsSync(REPORT)) {
  const { expected, unexpected, flaky, skipped } = JSON.parse(readFileSync(REPORT, "utf8")).stats;
  // A flaky or skipped test has not passed.
  const counts = { numPassedTests: expected, numFailedTests: unexpected + flaky + skipped };
  writeFileSync(join(reports, "console.json"), JSON.stringify(counts));
}
process.exit(status ?? 1);
