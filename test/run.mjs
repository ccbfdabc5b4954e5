/**
 * Runs all suites, as `npm test` does after lint and types: three at a time, because two leave a fifth of two cores idle.
 * Each line begins with the name of its suite. A suite that fails does not stop the others.
 * Without CI=true, a suite that lacks a program leaves tests out; the last lines then name them instead of "passed".
 * Arguments choose suites by name.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { buildIfChanged } from "../build/build.mjs";
import { LEFT_OUT } from "./support/needed.mjs";

const SUITES = {
  main: ["node_modules/vitest/vitest.mjs", "run", "--project", "unit", "--project", "main"],
  console: ["test/console/run.mjs"],
  pcsc: ["test/pcsc/run.mjs"],
  faults: ["test/faults/run.mjs"],
  clients: ["test/clients/run.mjs"],
  tools: ["test/tools/run.mjs"],
  container: ["test/container/run.mjs"],
  release: ["test/release.mjs"],
};
/** What a lane has, it runs one after the other. */
const LANES = [
  ["main", "release"],
  ["console", "tools", "clients"],
  ["pcsc", "faults", "container"],
];

const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !(name in SUITES));
if (unknown.length > 0) {
  process.stderr.write(`no suite is called ${unknown.join(", ")}; there are ${Object.keys(SUITES).join(", ")}\n`);
  process.exit(2);
}

/** @returns {Promise<{ name: string, passed: boolean, seconds: number, leftOut: string[] }>} */
async function run(name) {
  const began = Date.now();
  const leftOut = [];
  const child = spawn(process.execPath, SUITES[name], { stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on("line", (line) => {
      process.stdout.write(`${name.padEnd(9)} ${line}\n`);
      if (line.startsWith(LEFT_OUT)) leftOut.push(line);
    });
  }
  const [status] = await once(child, "close");
  return { name, passed: status === 0, seconds: Math.round((Date.now() - began) / 1000), leftOut };
}

async function runLane(names) {
  const results = [];
  for (const name of names) if (chosen.length === 0 || chosen.includes(name)) results.push(await run(name));
  return results;
}

buildIfChanged();
const results = (await Promise.all(LANES.map(runLane))).flat();
for (const { name, passed, seconds, leftOut } of results) {
  const result = !passed ? "FAILED" : leftOut.length > 0 ? "INCOMPLETE" : "passed";
  const lines = [`${result} after ${seconds} s`, ...leftOut];
  for (const line of lines) process.stdout.write(`${name.padEnd(9)} ${line}\n`);
}
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1;
