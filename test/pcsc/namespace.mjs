/**
 * A PC/SC stack for tests. As root they get their own network and mount namespace: a pcscd that runs on
 * the machine is not touched, and loopback acknowledges at once. Otherwise the virtual reader's two segments for
 * each exchange meet delayed acknowledgement, and each exchange takes 40 ms.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

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
    // npm skips an optional dependency that it could not build.
    execFileSync("npm", ["install", "--no-save"], { stdio: "inherit" });
  }
}

/** The command prefix that enters a namespace; empty when namespaces are not available. */
export function namespace() {
  const wrapped = ["unshare", "--net", "--mount", "sh", "-ec", NAMESPACE, "sh"];
  const [command, ...args] = wrapped;
  return isRoot && spawnSync(command, [...args, "true"]).status === 0 ? wrapped : [];
}

/** Ends the process when there is no PC/SC stack and none can be installed. @param what is left out in that case */
export function requirePcsc(what) {
  if (!isInstalled() && ((isRoot && existsSync("/etc/debian_version")) || mandatory)) install();
  if (isInstalled()) return;
  process.stdout.write(`left out: ${what}; to run them: apt-get install ${PACKAGES.join(" ")}\n`);
  process.exit(mandatory ? 1 : 0);
}
