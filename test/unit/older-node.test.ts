/** A checkout on a machine whose Node tillseal does not support (build/node.mjs). */
import { spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join, normalize } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { unfitNode } from "../../src/base/unfit-node.js";
import { temporaryFolder } from "../support/folder.js";

const read = (...path: string[]) => readFileSync(join(PACKAGE_ROOT, ...path), "utf8");
const { isAllowed } = (await import(pathToFileURL(join(PACKAGE_ROOT, "build", "node.mjs")).href)) as {
  isAllowed(version: string): boolean;
};

/** Lets Node say that it is an older one. */
const pretend = (version: string) => `Object.defineProperty(process, "versions", {
  value: { ...process.versions, node: "${version}" }, configurable: true });`;

const PACKAGE = `node-${process.platform}-${process.arch}`;
/** Stands for the Node that npm has installed. */
const NEWER_NODE = `#!/bin/sh\nNEWER=1 exec "${process.execPath}" "$@"\n`;

/** Makes a checkout with a program and runs the program with an older Node. @param newerNode what npm has installed */
function runWithOlderNode(newerNode?: string) {
  const folder = temporaryFolder();
  cpSync(join(PACKAGE_ROOT, "build", "older-node"), join(folder, "build", "older-node"), { recursive: true });
  copyFileSync(join(PACKAGE_ROOT, "build", "node.mjs"), join(folder, "build", "node.mjs"));
  const bin = join(folder, "node_modules", PACKAGE, "bin");
  mkdirSync(bin, { recursive: true });
  if (newerNode !== undefined) writeFileSync(join(bin, "node"), newerNode);
  if (newerNode !== undefined) chmodSync(join(bin, "node"), 0o755);
  writeFileSync(join(folder, "older.mjs"), `if (process.env.NEWER === undefined) ${pretend("21.7.3")}`);
  writeFileSync(
    join(folder, "program.mjs"),
    `import "./build/node.mjs";
     process.stdout.write(JSON.stringify([process.env.NEWER, process.argv.slice(2), process.env.PATH]));
     process.exitCode = 7;`,
  );
  const args = ["--import", "./older.mjs", "program.mjs", "a b", "--c"];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
  return { status, stdout, stderr, bin };
}

it("a program of a checkout runs again with the Node that npm has installed, with its arguments, and ends with its status", () => {
  const { status, stdout, stderr, bin } = runWithOlderNode(NEWER_NODE);
  expect([status, stderr]).toEqual([7, ""]);
  expect(JSON.parse(stdout)).toEqual(["1", ["a b", "--c"], `${bin}${delimiter}${process.env.PATH}`]);
});

it.each([
  ["was not installed", undefined, /Run npm ci: it installs one for this folder\.\n$/],
  ["does not run here", "#!/none/ld-musl\n", /npm's Node\.js does not run here: install Node\.js 24\.\n$/],
])("a program of a checkout says in one sentence what to do when npm's Node %s", (_, newerNode, advice) => {
  const { status, stdout, stderr } = runWithOlderNode(newerNode);
  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toMatch(
    /^tillseal: this is Node\.js 21\.7\.3; tillseal needs Node\.js 22\.14, or 24 and later\. .*\n$/,
  );
  expect(stderr).toMatch(advice);
});

it.each([
  ["18.20.8", false],
  ["21.7.3", false],
  ["22.13.1", false],
  ["22.14.0", true],
  ["23.11.0", false],
  ["24.0.0", true],
  ["26.10.0", true],
])("Node %s is allowed by a checkout as by a package: %s", (version, allowed) => {
  const { versions } = process;
  Object.defineProperty(process, "versions", { value: { ...versions, node: version }, configurable: true });
  try {
    expect([isAllowed(version), unfitNode() === undefined]).toEqual([allowed, allowed]);
  } finally {
    Object.defineProperty(process, "versions", { value: versions, configurable: true });
  }
});

it("npm installs another Node exactly where this one is not allowed, in one version, and for no package", () => {
  const { engines, optionalDependencies, files } = JSON.parse(read("package.json")) as {
    engines: object;
    optionalDependencies: Record<string, string>;
    files: string[];
  };
  const older = JSON.parse(read("build", "older-node", "package.json")) as {
    engines: object;
    optionalDependencies: Record<string, string>;
  };
  expect([engines, older.engines]).toEqual([{ node: "^22.14 || >=24" }, { node: "<22.14 || 23" }]);
  expect(optionalDependencies["older-node"]).toBe("file:build/older-node");
  const [version = "", ...others] = new Set(Object.values(older.optionalDependencies));
  expect(version).toMatch(/^24\.\d+\.\d+$/);
  expect(others).toEqual([]);
  expect(files.filter((file) => file.startsWith("build"))).toEqual([]);
});

/** Programs that need no package, or play packages with the machine's Node. */
const ANY_NODE = [".ci/reserve-ports.mjs", "test/upgrade/sell.mjs", "test/windows/native.mjs"];

function imports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, name = ""] of read(file).matchAll(/^(?:import|export)\b[^"]*"(\.[^"]+\.mjs)"/gm))
    imports(normalize(join(dirname(file), name)), seen);
  return seen;
}

it("every program that npm's scripts, the workflows and the pages name starts again with the right Node", () => {
  const pages = [
    "package.json",
    ...globSync(["*.md", "docs/**/*.md", ".github/workflows/*", "docker/Dockerfile"], { cwd: PACKAGE_ROOT }),
  ];
  const named = pages.flatMap((page) =>
    [...read(page).matchAll(/\bnode"? ((?:\w[\w.-]*\/)+[\w-]+\.mjs)/g)].map(([, file = ""]) => file),
  );
  const programs = [...new Set(named)].filter(
    (file) => existsSync(join(PACKAGE_ROOT, file)) && !ANY_NODE.includes(file),
  );
  expect(programs.length).toBeGreaterThan(20);
  expect(programs.filter((file) => !imports(file).has(join("build", "node.mjs")))).toEqual([]);
});
