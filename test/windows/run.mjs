/**
 * `npm run test:windows [-- [developer | shop] [--packages FOLDER]]`, as root on Debian: makes the packages for Windows (or uses those in FOLDER) and a Windows
 * in Wine, and plays a developer's and a shop's day in it. Takes about ten minutes, more the first time. Not part of `npm run test:all`.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { namespace } from "../pcsc/namespace.mjs";
import { makeChroot } from "./machine.mjs";

const TOOLS = { debootstrap: "debootstrap", makensis: "nsis", zip: "zip", unzip: "unzip", ip: "iproute2" };
const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");

if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) {
  console.error("this needs root on Debian: it makes a chroot");
  process.exit(1);
}
const missing = Object.entries(TOOLS).filter(([tool]) => spawnSync("sh", ["-c", `command -v ${tool}`]).status !== 0);
if (missing.length > 0) {
  execFileSync("apt-get", ["update", "-qq"], { stdio: "inherit" });
  const packages = missing.map(([, name]) => name);
  execFileSync("apt-get", ["install", "-y", "-qq", ...packages], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
makeChroot();

const at = process.argv.indexOf("--packages");
const given = at === -1 ? undefined : process.argv[at + 1];
const only = process.argv.slice(2).filter((word) => word === "developer" || word === "shop");
const folder = given ?? mkdtempSync(join(tmpdir(), "tillseal-windows-"));
if (given === undefined) {
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  execFileSync(process.execPath, [join(root, "deploy", "windows", "build.mjs"), folder], { stdio: "inherit" });
}
const [command, ...args] = [
  ...namespace(),
  process.execPath,
  join(root, "test", "windows", "scenes.mjs"),
  folder,
  ...only,
];
const { status } = spawnSync(command, args, { stdio: "inherit", cwd: root });
process.exit(status ?? 1);
