/**
 * A PC/SC stack for tests. As root they get their own network and mount namespace: a pcscd that runs on
 * the machine is not touched, and loopback acknowledges at once. Otherwise the virtual reader's two segments for
 * each exchange meet delayed acknowledgement, and each exchange takes 40 ms.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { installInCi, leaveOut } from "../support/needed.mjs";

const PACKAGES = ["pcscd", "libpcsclite-dev", "vsmartcard-vpcd"];
const isRoot = process.getuid?.() === 0;

const NAMESPACE = `
ip link set lo up
for net in 127.0.0.0/8 127.0.0.1; do
  ip route replace local $net dev lo table local proto kernel scope host src 127.0.0.1 quickack 1
done
mkdir -p /run/pcscd && mount -t tmpfs tmpfs /run/pcscd
exec "$@"`;

const isInstalled = () => existsSync("/usr/sbin/pcscd") && existsSync("/etc/reader.conf.d/vpcd");

/** The command prefix that enters a namespace; empty when namespaces are not available. */
export function namespace() {
  const wrapped = ["unshare", "--net", "--mount", "sh", "-ec", NAMESPACE, "sh"];
  const [command, ...args] = wrapped;
  return isRoot && spawnSync(command, [...args, "true"]).status === 0 ? wrapped : [];
}

/** Ends the process when there is no PC/SC stack. @param what the tests that need it */
export function requirePcsc(what) {
  if (!isInstalled()) installInCi([...PACKAGES, "iproute2"]);
  if (isInstalled()) return;
  leaveOut(`${what}; they need: apt-get install ${PACKAGES.join(" ")}`);
  process.exit();
}
