/** Builds, and runs the fuzzer. */
import { spawnSync } from "node:child_process";
import { buildIfChanged } from "../../build/build.mjs";

buildIfChanged();
const { status } = spawnSync(process.execPath, ["dist/test/fuzz/main.js", ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exit(status ?? 1);
