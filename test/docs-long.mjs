/**
 * Runs the examples of the docs many times while every core is busy: an example that depends on the speed of the machine fails
 * here. Prints a row for each run. Options: --runs (20), --load (busy threads for each core, 1), --only (a part of the examples' names).
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import "../build/node.mjs";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "20" },
    load: { type: "string", default: "1" },
    only: { type: "string" },
  },
});
const FILES = ["test/slow/docs-run.test.ts", "test/docs-commands.test.ts", "test/examples"];
/** Runs the example for node:test. */
const KIT = "test/emulator/testkit.test.ts";
const PLAYED = values.only ? [[...FILES, KIT, "-t", values.only]] : [FILES, [KIT, "-t", "the documentation's"]];
/** A page of a dozen commands takes minutes here. The time limits of the examples themselves stay. */
const EXAMPLE_LIMIT_MS = 900_000;
const threads = Array.from(
  { length: Number(values.load) * availableParallelism() },
  () => new Worker("for (;;);", { eval: true }),
);
const folder = mkdtempSync(join(tmpdir(), "tillseal-docs-"));
const report = join(folder, "report.json");

/** @returns the examples with their results */
function play(files) {
  const reporter = ["--reporter=json", `--outputFile=${report}`];
  const limit = [`--testTimeout=${EXAMPLE_LIMIT_MS}`, `--hookTimeout=${EXAMPLE_LIMIT_MS}`];
  const vitest = [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--project",
    "main",
    "--project",
    "slow",
    ...limit,
    ...reporter,
    ...files,
  ];
  rmSync(report, { force: true });
  spawnSync(process.execPath, vitest, { stdio: ["ignore", "ignore", "inherit"] });
  const { testResults } = JSON.parse(readFileSync(report, "utf8"));
  return testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status !== "skipped");
}

/** Writes why examples failed to stderr. @returns how many examples passed, and which failed */
function run() {
  const tests = PLAYED.flatMap(play);
  const failed = tests.filter(({ status }) => status !== "passed");
  for (const { fullName, failureMessages } of failed)
    console.error(`${fullName.trim()}\n${failureMessages.join("\n")}`);
  return { passed: tests.length - failed.length, failed: failed.map(({ fullName }) => fullName.trim()) };
}

console.log("| Run | Passed | Failed | Took | Load |\n| --- | --- | --- | --- | --- |");
let isGood = true;
for (let i = 1; i <= Number(values.runs); i++) {
  const began = performance.now();
  const { passed, failed } = run();
  isGood &&= passed > 0 && failed.length === 0;
  const seconds = ((performance.now() - began) / 1000).toFixed(0);
  const cells = [i, passed, failed.join("; ") || "none", `${seconds} s`, loadavg()[0].toFixed(1)];
  console.log(`| ${cells.join(" | ")} |`);
}
for (const thread of threads) void thread.terminate();
rmSync(folder, { recursive: true, force: true });
process.exitCode = isGood ? 0 : 1;
