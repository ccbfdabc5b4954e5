/** The commit of a build. Version and commit together identify the program that a shop runs. */
import { execFileSync } from "node:child_process";
import { realpathSync } from "node:fs";
import { PACKAGE_ROOT } from "../src/base/package-root.js";

/**
 * `1a2b3c4d5e6f`, with `-dirty` if files have changed since; "" without git, or inside another repository. An image is built without
 * git, so its build gets the commit in TILLSEAL_COMMIT.
 */
export function buildHash(root = PACKAGE_ROOT): string {
  const named = process.env.TILLSEAL_COMMIT;
  if (named) return named;
  try {
    if (realpathSync(git(root, "rev-parse", "--show-toplevel")) !== realpathSync(root)) return "";
    return git(root, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*");
  } catch {
    return "";
  }
}

function git(root: string, ...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}
