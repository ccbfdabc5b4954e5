/** Builds, and measures the console's requests on a store with a million receipts. */
import { spawnSync } from "node:child_process";
import { buildIfChanged } from "../../build/build.mjs";

buildIfChanged();
const { status } = spawnSync(process.execPath, ["dist/test/million/main.js", ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exit(status ?? 1);
