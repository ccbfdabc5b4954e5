/**
 * `npm run test:packages [-- deb | npm | same]`: installs the Debian and npm packages into a new small Debian, as a user would,
 * and sells; makes every file of a release twice and compares them. Needs root on Debian (amd64) and a network; installs debootstrap, iproute2, nsis and zip if they are missing. Not part of `npm run test:all`.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { report } from "./check.mjs";
import { testDeb } from "./deb.mjs";
import { testNpm } from "./npm.mjs";
import { testSame } from "./same.mjs";

console.log(`Node.js ${process.versions.node}, ${process.execPath}`);
const PARTS = { deb: testDeb, npm: testNpm, same: testSame };
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in PARTS));
if (unknown.length > 0) throw new Error(`no part ${unknown}; there are ${Object.keys(PARTS).join(", ")}`);

const NEEDED = {
  debootstrap: "/usr/sbin/debootstrap",
  iproute2: "/sbin/ip",
  nsis: "/usr/bin/makensis",
  zip: "/usr/bin/zip",
};
const missing = Object.entries(NEEDED).flatMap(([name, file]) => (existsSync(file) ? [] : [name]));
if (missing.length > 0) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  execFileSync("apt-get", ["update", "-qq"], { stdio: "inherit", env });
  execFileSync("apt-get", ["install", "-y", "-qq", ...missing], { stdio: "inherit", env });
}

const artefacts = mkdtempSync(join(tmpdir(), "tillseal-packages-"));
try {
  execFileSync("npm", ["run", "build", "--silent"], { stdio: "inherit" });
  for (const [name, test] of Object.entries(PARTS)) {
    if (asked.length === 0 || asked.includes(name)) await test(artefacts);
  }
} finally {
  rmSync(artefacts, { recursive: true, force: true });
}
process.exitCode = report();
