/** Dependencies: which are shipped, under which licence, and which run scripts at installation. */
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
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
  /** From the package's own package.json; npm reads it here. */
  readonly gypfile?: boolean;
  readonly engines?: { readonly node?: string };
}

const read = (...path: string[]) => readFileSync(join(PACKAGE_ROOT, ...path), "utf8");
const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Locked> };
const LOCKED = Object.entries(packages)
  .filter(([path]) => path !== "")
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

describe("what is shipped", () => {
  it("is listed with its licence, including the libraries bundled into program and console", async () => {
    const { status, stdout, stderr } = await licences();
    expect([status, stderr]).toEqual([0, ""]);
    const lines = stdout.trim().split("\n");
    for (const { path, name = path, version, license } of LOCKED.filter(({ dev }) => !dev)) {
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
  ])("must not have the licence %s", async (license) => {
    const { status, stderr } = await verdict(license);
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`another 1.0.0 (installed by npm): licence ${license ?? "none"};`),
    ]);
  });

  it.each(["MIT", "(MIT OR GPL-3.0-only)", "ISC AND BSD-3-Clause"])("may have the licence %s", async (license) => {
    expect(await verdict(license)).toMatchObject({ status: 0, stderr: "" });
  });

  it("has a version and a checksum for each package, and none comes from a repository or folder", () => {
    for (const { path, version, integrity, resolved } of LOCKED) {
      expect([path, version]).toEqual([path, expect.stringMatching(/^\d+\.\d+\.\d+/)]);
      expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
      expect([path, /^(git|file|http:)/.test(resolved ?? "")]).toEqual([path, false]);
    }
  });
});

describe("install scripts", () => {
  const scripted = LOCKED.filter(({ hasInstallScript }) => hasInstallScript);

  it("are those that the page about security lists", () => {
    const table =
      /<!-- install-scripts -->\n([\s\S]*?)<!-- \/install-scripts -->/.exec(read("docs", "security.md"))?.[1] ?? "";
    const rows = [...table.matchAll(/^\| `([^`]+)` \| (\S+) \| (yes|no) \|/gm)].map(([, name, version, shipped]) => ({
      name,
      version,
      shipped: shipped === "yes",
    }));
    expect(rows).toEqual(scripted.map(({ path, version, dev = false }) => ({ name: path, version, shipped: !dev })));
  });

  it("are not added by npm ci, which would compile packages with a binding.gyp and drop them without a compiler", () => {
    const [sqlite] = LOCKED.filter(({ path }) => path === "better-sqlite3");
    const advice = 'npm install removes `"gypfile": false` from better-sqlite3 in package-lock.json: add it again';
    expect(sqlite?.gypfile, advice).toBe(false);
  });

  it("do not compile SQLite for Node 20 on a Node that never loads it", () => {
    const [sqlite] = LOCKED.filter(({ path }) => path === "better-sqlite3-node20");
    const advice =
      'npm install removes `"node": "<22.14"` from better-sqlite3-node20 in package-lock.json: add it again';
    expect(sqlite?.engines?.node, advice).toBe("<22.14");
  });

  /** Packages with a script that is not needed: it finds the binary that came as another package. */
  const UNNEEDED = ["koffi"];

  it("run for no other package: package.json allows those that a shop needs and refuses the others", () => {
    const { allowScripts } = JSON.parse(read("package.json")) as { allowScripts: Record<string, boolean> };
    for (const { path, dev = false } of scripted) {
      expect([path, allowScripts[path]]).toEqual([path, !dev && !UNNEEDED.includes(path)]);
    }
    const known = new Set(scripted.flatMap(({ path, name = path }) => [path, name]));
    expect(Object.keys(allowScripts).filter((name) => !known.has(name))).toEqual([]);
  });
});
