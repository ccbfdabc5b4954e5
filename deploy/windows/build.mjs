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
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { commitTime, withCommitTime } from "../commit-time.mjs";
import { makeApp } from "./app.mjs";
import { addNode } from "./node.mjs";

const here = dirname(fileURLToPath(import.meta.url));
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
  const version = makeApp(join(shop, "app"), shopTarball(), join(stage, "shrinkwrap.json"));
  addNode(shop);
  addCommand(shop);
  addServiceScripts(shop);
  report(installer(shop, version));
  makeApp(join(developers, "app"), values.npm ?? tarballOf("npm-package.mjs", "npm"), join(root, "package-lock.json"));
  cpSync(join(shop, "node.exe"), join(developers, "node.exe"));
  cpSync(join(shop, "NODE-LICENSE.txt"), join(developers, "NODE-LICENSE.txt"));
  addCommand(developers);
  copyWithWindowsLines("README.txt", developers);
  report(zip(developers, version));
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/** @returns the tarball for shops; its npm-shrinkwrap.json is copied to the stage */
function shopTarball() {
  const tarball = values.shop ?? tarballOf("production-package.mjs", "production");
  const locked = execFileSync("tar", ["xzOf", tarball, "package/npm-shrinkwrap.json"], { maxBuffer: 2 ** 28 });
  writeFileSync(join(stage, "shrinkwrap.json"), locked);
  return tarball;
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
