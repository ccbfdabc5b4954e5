/**
 * `npm run build && node test/pcsc/tokens-debian.mjs trixie [sales faults]`: test/pcsc/tokens.mjs in a new small Debian of this
 * name (`bookworm`, `trixie`), against the Debian package and the Node that it brings. Needs root on Debian (amd64), debootstrap and a network.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Chroot } from "../packages/chroot.mjs";

const [suite, ...runs] = process.argv.slice(2);
if (suite === undefined) throw new Error("name a Debian, such as trixie");

const folder = mkdtempSync(join(tmpdir(), "tillseal-debian-"));
const root = new Chroot(suite);
let status = 1;
try {
  execFileSync(process.execPath, ["deploy/debian/build.mjs", "--fast", folder], { stdio: "inherit" });
  const deb = readdirSync(folder).find((name) => name.endsWith("_amd64.deb"));
  copyFileSync(join(folder, deb), join(root.folder, "tmp/tillseal.deb"));
  root.sh("apt-get update -qq");
  root.sh("apt-get install -y -qq --no-install-recommends /tmp/tillseal.deb vsmartcard-vpcd iproute2 openssl");
  // Since Debian 13, pcscd refuses everybody if polkit does not answer, and there is no system bus here.
  const pcscd = "printf '#!/bin/sh\nexec /usr/sbin/pcscd --disable-polkit \"$@\"\n' > /usr/local/sbin/pcscd";
  root.run(`pcscd --help | grep -q disable-polkit && ${pcscd} && chmod 755 /usr/local/sbin/pcscd`);
  mkdirSync(join(root.folder, "repository"));
  console.log(root.sh(". /etc/os-release && echo $PRETTY_NAME; openssl version").trim());
  // The repository is visible only in this mount namespace, so that removing the Debian never removes it.
  // Only the root of a mount lets the run inside make namespaces of its own.
  const mounted = 'mount --rbind "$2" "$2" && mount --bind "$1" "$2/repository" && shift && exec chroot "$@"';
  const inside = `cd /repository && exec /usr/lib/tillseal/bin/node test/pcsc/tokens.mjs ${runs.join(" ")}`;
  const { HOME, SALES } = process.env;
  const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  const env = { HOME, PATH, ...(SALES ? { SALES } : {}), TILLSEAL_TEST_INSTALLED: "/usr/lib/tillseal/app" };
  const args = ["--mount", "sh", "-c", mounted, "sh", resolve("."), root.folder, "sh", "-c", inside];
  status = spawnSync("unshare", args, { stdio: "inherit", env }).status ?? 1;
} finally {
  root.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(status);
