/** Builds, and runs the large audit. */
import { spawnSync } from "node:child_process";
import { buildIfChanged } from "../../build/build.mjs";

buildIfChanged();
const { status } = spawnSync(process.execPath, ["dist/test/audits/main.js", ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exit(status ?? 1);
