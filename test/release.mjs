/**
 * Makes the packages for npm and for shops, installs and starts them: the short form of a release, so that no commit breaks a package
 * unseen. It loads Node and the packages' dependencies from npm's registry.
 */
import { spawnSync } from "node:child_process";
import { hasRegistry, leaveOut } from "./support/needed.mjs";

if (hasRegistry()) {
  const { status } = spawnSync(process.execPath, ["deploy/release.mjs", "--check"], { stdio: "inherit" });
  process.exitCode = status ?? 1;
} else {
  leaveOut("the check of the packages; it needs npm's registry");
}
