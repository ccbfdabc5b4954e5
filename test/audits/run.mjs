/** Builds, and runs the large audit. */
import { execFileSync, spawnSync } from "node:child_process";

execFileSync("npm", ["run", "build", "--silent"], { stdio: "inherit" });
const { status } = spawnSync(process.execPath, ["dist/test/audits/main.js", ...process.argv.slice(2)], {
  stdio: "inherit",
});
process.exit(status ?? 1);
