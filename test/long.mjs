/**
 * The long forms of the tests: `faults`, `fuzz`, `audit`, `soak`, `million`, `docs` and `surfaces`, or all of them in order when none is named. Options
 * go to the named one: --seed, --runs, --jobs, --requests, --invoices, --minutes, --load; for `million` the number of receipts.
 */
import { spawnSync } from "node:child_process";
import "../build/node.mjs";
import buildOrEnd from "./support/build.mjs";

const FORMS = {
  faults: ["test/faults/run.mjs", "main", "--runs", "2000"],
  fuzz: ["dist/test/fuzz/main.js"],
  audit: ["dist/test/audits/main.js"],
  soak: ["test/faults/run.mjs", "soak"],
  million: ["dist/test/million/main.js"],
  docs: ["test/docs-long.mjs"],
  surfaces: [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--project",
    "slow",
    "test/slow/surfaces.test.ts",
    "test/slow/disk-faults.test.ts",
  ],
};

const [name, ...options] = process.argv.slice(2);
buildOrEnd();
const named = name === undefined ? Object.keys(FORMS) : [name];
for (const one of named) {
  const form = FORMS[one];
  if (!form) {
    process.stderr.write(`unknown form ${one}; there are ${Object.keys(FORMS).join(", ")}\n`);
    process.exit(1);
  }
  const env = { ...process.env, TILLSEAL_TEST_WHOLE: "yes" };
  const { status } = spawnSync(process.execPath, [...form, ...options], { stdio: "inherit", env });
  if (status !== 0) process.exit(status ?? 1);
}
