/**
 * Checks format and types and runs the suite `main`, or with `--all` every suite: first `main`, then the others, two at a time. A third
 * one saves nothing, because two use both cores, and tests miss their time limits. Each line begins with the name of its suite. A suite that fails does not stop the
 * others. A suite that prints nothing for {@link SILENT_MS} hangs: its processes are printed, and it is ended.
 * Without CI=true, a suite that lacks something leaves tests out; the last lines then name them instead of "passed".
 * Other arguments choose suites by name.
 */
import { spawnSync } from "node:child_process";
import { availableParallelism } from "node:os";
import buildOrEnd from "./support/build.mjs";
import { LONGEST } from "./support/file-count.mjs";
import { LEFT_OUT, succeeds } from "./support/needed.mjs";
import { killGroup, processesOf, startGroup, statusOf } from "./support/process-group.mjs";

/**
 * Each of the two lanes takes the next suite when it is free. One that computes is beside one that waits: slow beside pcsc, the
 * console beside the containers. The console is not beside the compilation of pcsc's module, where its tests would miss their time
 * limits.
 */
const SUITES = {
  main: ["node_modules/vitest/vitest.mjs", "run", "--project", "unit", "--project", "main"],
  pcsc: ["test/pcsc/run.mjs"],
  slow: ["node_modules/vitest/vitest.mjs", "run", "--project", "slow"],
  console: ["test/console/run.mjs"],
  container: ["test/container/run.mjs"],
  tools: ["test/tools/run.mjs"],
  release: ["test/release.mjs"],
  site: ["test/site/run.mjs"],
  faults: ["test/faults/run.mjs"],
  exploration: ["dist/test/exploration/print.js"],
  clients: ["test/clients/run.mjs"],
};
/** ms. The longest silence, while an image is built on a busy machine, is a third of it. */
const SILENT_MS = 600_000;

/** Names a test that failed, in the output of vitest, Playwright and our own programs. */
const FAILURE = /\bFAIL\b|✘|^not ok /;
/** Lines from each failure on that are printed once more at the end, because a long output is often cut in front. */
const REPEATED = 20;
const MOST_REPEATED = 60;

/** Needs nothing but Node, npm's packages and openssl. */
const FAST = ["main"];

/** Most tests of `main` wait for disks, processes and timers. Alone, it needs a third of the time that it needs beside another suite. */
const WORKERS = String(availableParallelism() + 2);

process.stdout.write(`Node.js ${process.versions.node}, ${process.execPath}\n`);
const named = process.argv.slice(2);
const chosen = named.includes("--all") ? Object.keys(SUITES) : named.length > 0 ? named : FAST;
const unknown = chosen.filter((name) => !(name in SUITES));
if (unknown.length > 0) {
  process.stderr.write(`no suite is called ${unknown.join(", ")}; there are ${Object.keys(SUITES).join(", ")}\n`);
  process.exit(2);
}

const groups = new Set();
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.once(signal, () => {
    for (const group of groups) killGroup(group, signal);
    process.exit(1);
  });
}

/** What a machine may lack, and the tests of a suite that are left out then (test/support/environment.ts). */
const hasFullDevice = succeeds("test -w /dev/full");
const hasCurl = succeeds("curl --version");
const mayMount = process.getuid?.() === 0 && succeeds("unshare -m true");
const isRoot = process.getuid?.() === 0;
const mayBeOther = isRoot && succeeds("setpriv --reuid=54321 --clear-groups test -r package.json");
const needed = [
  ["main", hasFullDevice, "a test of a full disk; it needs a writable /dev/full"],
  ["slow", hasFullDevice, "a test of a full disk; it needs a writable /dev/full"],
  ["main", hasCurl, "the tests of commands that people copy; they need curl"],
  ["slow", hasCurl, "the tests of the docs' commands; they need curl"],
  ["slow", isRoot, "the tests of commands that root runs for another user; they need root"],
  ["slow", mayBeOther, "the tests of a user without a home; they need root, setpriv and a folder that all may read"],
  ["slow", mayMount, "the tests of other disks; they need a root that may mount"],
];
const leftOutOf = (suite) => needed.flatMap(([of, there, what]) => (of === suite && !there ? [LEFT_OUT + what] : []));

const secondsSince = (began) => Math.round((Date.now() - began) / 1000);

/** @returns {Promise<{ name: string, passed: boolean, seconds: number, leftOut: string[], failures: string[], longest: string }>} */
async function run(name) {
  const began = Date.now();
  const leftOut = leftOutOf(name);
  const failures = [];
  let repeated = 0;
  let longest = "";
  const env = { ...process.env, TILLSEAL_TEST_SUITE: name, ...(name === "main" && { VITEST_MAX_WORKERS: WORKERS }) };
  const child = startGroup(process.execPath, SUITES[name], { env });
  groups.add(child);
  const say = (line) => process.stdout.write(`${name.padEnd(11)} ${line}\n`);
  const silent = setTimeout(() => {
    say(`has printed nothing for ${SILENT_MS / 1000} s, and is ended. Its processes were:\n${processesOf(child)}`);
    killGroup(child);
  }, SILENT_MS);
  const status = await statusOf(child, (line) => {
    silent.refresh();
    say(line);
    if (FAILURE.test(line)) repeated = REPEATED;
    if (repeated-- > 0) failures.push(line);
    if (line.startsWith(LEFT_OUT)) leftOut.push(line);
    if (line.startsWith(LONGEST)) longest = line;
  });
  clearTimeout(silent);
  killGroup(child);
  groups.delete(child);
  return { name, passed: status === 0, seconds: secondsSince(began), leftOut, failures, longest };
}

const waiting = Object.keys(SUITES).filter((name) => chosen.includes(name));

async function runLane() {
  const results = [];
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) results.push(await run(name));
  return results;
}

const began = Date.now();
if (named.length === 0 || named.includes("--all")) {
  const { status } = spawnSync("npm run lint && npm run typecheck", { shell: true, stdio: "inherit" });
  if (status !== 0) process.exit(1);
}
buildOrEnd();
const first = waiting[0] === "main" ? [await run(waiting.shift())] : [];
const results = [...first, ...(await Promise.all([runLane(), runLane()])).flat()];
for (const { name, passed, seconds, leftOut, failures } of results) {
  const result = !passed ? "FAILED" : leftOut.length > 0 ? "INCOMPLETE" : "passed";
  const lines = [`${result} after ${seconds} s`, ...leftOut, ...(passed ? [] : failures.slice(0, MOST_REPEATED))];
  for (const line of lines) process.stdout.write(`${name.padEnd(11)} ${line}\n`);
}
if (chosen === FAST) {
  const others = Object.keys(SUITES).filter((name) => !FAST.includes(name));
  process.stdout.write(
    `npm test took ${secondsSince(began)} s; ${results[0].longest}; not run: ${others.join(", ")} (npm run test:all runs them, too)\n`,
  );
}
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
