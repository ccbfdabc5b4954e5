/**
 * Runs the tests that need a PC/SC stack. As root they get a network and a mount namespace of their own: a
 * pcscd that is running on the machine is not touched, and loopback acknowledges at once. Without that the virtual
 * reader's two segments for each exchange meet delayed acknowledgement, and each exchange takes 40 ms.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PACKAGES = ["pcscd", "libpcsclite-dev", "vsmartcard-vpcd"];
const isRoot = process.getuid?.() === 0;
const mandatory = process.env.CI === "true";

const NAMESPACE = `
ip link set lo up
for net in 127.0.0.0/8 127.0.0.1; do
  ip route replace local $net dev lo table local proto kernel scope host src 127.0.0.1 quickack 1
done
mkdir -p /run/pcscd && mount -t tmpfs tmpfs /run/pcscd
exec "$@"`;

const isInstalled = () => existsSync("/usr/sbin/pcscd") && existsSync("/etc/reader.conf.d/vpcd");

function install() {
  const sudo = isRoot ? [] : ["sudo", "-n"];
  const run = (...args) => {
    const [command, ...rest] = [...sudo, ...args];
    execFileSync(command, rest, { stdio: "inherit", env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
  };
  run("apt-get", "update", "-qq");
  run("apt-get", "install", "-y", "-qq", "--no-install-recommends", ...PACKAGES, "iproute2");
  if (!existsSync("node_modules/pcsclite/build")) {
    // npm leaves an optional dependency out where it could not be built.
    execFileSync("npm", ["install", "--no-save"], { stdio: "inherit" });
  }
}

function namespace() {
  const wrapped = ["unshare", "--net", "--mount", "sh", "-ec", NAMESPACE, "sh"];
  const [command, ...args] = wrapped;
  return isRoot && spawnSync(command, [...args, "true"]).status === 0 ? wrapped : [];
}

if (!isInstalled() && ((isRoot && existsSync("/etc/debian_version")) || mandatory)) install();
if (!isInstalled()) {
  process.stdout.write(`left out: the tests through PC/SC; to run them: apt-get install ${PACKAGES.join(" ")}\n`);
  process.exit(mandatory ? 1 : 0);
}
/** The package for shops, made and installed as a shop does it, for test/pcsc/production.test.ts. */
function installProduction(folder) {
  execFileSync(process.execPath, ["deploy/production-package.mjs", folder], { stdio: "inherit" });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  const installed = join(folder, "installed");
  mkdirSync(installed);
  execFileSync("tar", ["xzf", join(folder, tarball), "-C", installed, "--strip-components", "1"]);
  const install = ["ci", "--omit=dev", "--prefix", installed, "--no-audit", "--no-fund"];
  execFileSync("npm", install, { stdio: ["ignore", "ignore", "inherit"] });
  return installed;
}

const folder = mkdtempSync(join(tmpdir(), "tillseal-production-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
const filtered = process.argv.slice(2).some((argument) => !argument.startsWith("-"));
const needsPackage = !filtered || process.argv.some((argument) => argument.includes("production"));
const installed = needsPackage ? installProduction(folder) : "";
const [command, ...args] = [...namespace(), process.execPath, "node_modules/vitest/vitest.mjs", "run"];
const { status } = spawnSync(command, [...args, "--project", "pcsc", ...process.argv.slice(2)], {
  stdio: "inherit",
  env: { ...process.env, TILLSEAL_TEST_SUITE: "pcsc", ...(installed ? { TILLSEAL_TEST_INSTALLED: installed } : {}) },
});
process.exit(status ?? 1);
