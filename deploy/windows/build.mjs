/**
 * `node deploy/windows/build.mjs [FOLDER]`: the packages for Windows, on Linux, into FOLDER (default: out/).
 *
 * - tillseal-VERSION-windows-x64.zip: for developers, with everything. It runs from any folder, without administrator rights.
 * - tillseal-VERSION-windows-x64-setup.exe: for shops. It works only with real cards and starts with Windows.
 *
 * Both contain Node. Needs zip, and makensis from Debian's package nsis.
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { makeApp } from "./app.mjs";
import { addNode } from "./node.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");
const out = resolve(process.argv[2] ?? join(root, "out"));

mkdirSync(out, { recursive: true });
const stage = mkdtempSync(join(out, "windows-"));
try {
  const shop = join(stage, "shop");
  const everything = join(stage, "everything");
  const version = makeApp(join(shop, "app"), packProduction(), join(stage, "shrinkwrap.json"));
  addNode(shop);
  addScripts(shop);
  report(installer(shop, version));
  makeApp(join(everything, "app"), packEverything(), join(root, "package-lock.json"));
  cpSync(join(shop, "node.exe"), join(everything, "node.exe"));
  cpSync(join(shop, "NODE-LICENSE.txt"), join(everything, "NODE-LICENSE.txt"));
  addScripts(everything);
  report(zip(everything, version));
} finally {
  rmSync(stage, { recursive: true, force: true });
}

/** @returns a tarball without the emulator; its npm-shrinkwrap.json is copied to the stage */
function packProduction() {
  const folder = join(stage, "production");
  execFileSync(process.execPath, [join(root, "deploy", "production-package.mjs"), folder], { stdio: "inherit" });
  const tarball = packedIn(folder);
  const locked = execFileSync("tar", ["xzOf", tarball, "package/npm-shrinkwrap.json"], { maxBuffer: 2 ** 28 });
  writeFileSync(join(stage, "shrinkwrap.json"), locked);
  return tarball;
}

/** @returns a tarball as npm would publish it */
function packEverything() {
  const folder = join(stage, "npm");
  mkdirSync(folder);
  // npm pack runs the script `prepare`, which builds.
  execFileSync("npm", ["pack", "--loglevel", "error", "--pack-destination", folder], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return packedIn(folder);
}

function packedIn(folder) {
  return join(
    folder,
    readdirSync(folder).find((name) => name.endsWith(".tgz")),
  );
}

/** Adds the command and the scripts of the service. cmd.exe misreads files with Unix line ends. */
function addScripts(folder) {
  const scripts = join(folder, "windows");
  mkdirSync(scripts);
  copyWithWindowsLines("tillseal.cmd", folder);
  for (const name of readdirSync(join(here, "installed"))) copyWithWindowsLines(join("installed", name), scripts);
  cpSync(join(root, "LICENSE"), join(folder, "LICENSE.txt"));
}

function copyWithWindowsLines(name, folder) {
  const text = readFileSync(join(here, name), "utf8");
  const target = join(folder, name.replace(/.*[\\/]/, ""));
  writeFileSync(target, name.endsWith(".cmd") ? text.replaceAll("\n", "\r\n") : text);
}

function installer(folder, version) {
  const file = join(out, `tillseal-${version}-windows-x64-setup.exe`);
  const defines = { VERSION: version, CONTENT: folder, OUTPUT: file };
  const flags = Object.entries(defines).map(([name, value]) => `-D${name}=${value}`);
  execFileSync("makensis", ["-V2", "-WX", ...flags, join(here, "tillseal.nsi")], { stdio: "inherit" });
  return file;
}

function zip(folder, version) {
  const name = `tillseal-${version}-windows-x64`;
  const file = join(out, `${name}.zip`);
  rmSync(file, { force: true });
  const named = join(stage, name);
  cpSync(folder, named, { recursive: true });
  execFileSync("zip", ["-q", "-r", "-X", file, name], { cwd: stage, stdio: "inherit" });
  return file;
}

function report(file) {
  console.log(`${file}: ${(statSync(file).size / 2 ** 20).toFixed(1)} MiB`);
}
