/** An installation without SQLite's binary. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { STORE_FILE } from "../../src/ledger/database.js";
import { environmentWith } from "../support/environment.js";

/** @returns a copy of the built package, with better-sqlite3 as npm installs it except for `prebuilds` */
function installWithoutBinary(): string {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-test-"));
  const modules = join(folder, "node_modules");
  const [from, sqlite] = [join(PACKAGE_ROOT, "node_modules"), "better-sqlite3"];
  mkdirSync(modules);
  for (const name of readdirSync(from)) if (name !== sqlite) symlinkSync(join(from, name), join(modules, name));
  for (const part of ["lib", "package.json"])
    cpSync(join(from, sqlite, part), join(modules, sqlite, part), { recursive: true });
  for (const part of ["package.json", "fixtures", "scenarios"])
    symlinkSync(join(PACKAGE_ROOT, part), join(folder, part));
  for (const part of ["src", "chunks", "prepared", "harness"])
    cpSync(join(PACKAGE_ROOT, "dist", part), join(folder, "dist", part), { recursive: true });
  return folder;
}

const installed = installWithoutBinary();
const withoutStore = mkdtempSync(join(tmpdir(), "tillseal-test-"));
const withStore = mkdtempSync(join(tmpdir(), "tillseal-test-"));
mkdirSync(dirname(join(withStore, STORE_FILE)), { recursive: true });
writeFileSync(join(withStore, STORE_FILE), "");
afterAll(() => {
  for (const folder of [installed, withoutStore, withStore]) rmSync(folder, { recursive: true });
});

async function run(...args: readonly string[]) {
  return new Promise<{ status: unknown; stdout: string; stderr: string }>((resolve) => {
    const done = (error: { code?: unknown } | null, stdout: string, stderr: string) =>
      resolve({ status: error?.code ?? 0, stdout, stderr });
    execFile(process.execPath, [...args], { cwd: installed, env: environmentWith() }, done);
  });
}

const CLI = join("dist", "src", "cli.js");
const REASON = "Cannot find module '.*better_sqlite3\\.node'";

it.each([
  ["serve", "--port", "0", "--control-port", "0", "--no-authority"],
  ["serve", "--port", "0", "--card", "pcsc", "--data-dir", withStore],
  ["doctor", "--data-dir", withStore],
  ["doctor", "--data-dir", withoutStore],
  ["verify", "--data-dir", withStore],
  ["report", "--data-dir", withStore],
  ["incidents", "--data-dir", withStore],
  ["backup", "--data-dir", withStore, join(withStore, "copy.db")],
])("tillseal %s says in one sentence that SQLite is missing, and how to get it: %s %s", async (...args) => {
  const { status, stdout, stderr } = await run(CLI, ...args);
  expect([status, stdout]).toEqual([1, ""]);
  const advice = "Install tillseal again; in a checkout, run npm ci";
  expect(stderr).toMatch(new RegExp(`^tillseal: SQLite for Node\\.js \\S+ is missing: ${REASON}\\. ${advice}\n$`));
});

it.each([
  ["Bun", "bun"],
  ["Deno", "deno"],
])("tillseal names %s if SQLite does not load in it", async (name, key) => {
  const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, ${key}: "1.0.0" } })`;
  const { status, stderr } = await run(
    "--import",
    `data:text/javascript,${pretend}`,
    CLI,
    "verify",
    "--data-dir",
    withStore,
  );
  expect(status).toBe(1);
  expect(stderr).toMatch(
    new RegExp(`^tillseal: SQLite does not load in ${name}: ${REASON}\\. Run tillseal with Node\\.js\n$`),
  );
});
