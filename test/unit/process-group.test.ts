/** What the test command starts its suites with: a suite ends with all its processes, and no process keeps the command waiting. */
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

const MODULE = join(PACKAGE_ROOT, "test", "support", "process-group.mjs");
const { killGroup, processesOf, startGroup, statusOf } = (await import(pathToFileURL(MODULE).href)) as {
  startGroup: (command: string, args: readonly string[]) => ChildProcess;
  killGroup: (child: ChildProcess) => void;
  statusOf: (child: ChildProcess, onLine: (line: string) => void) => Promise<number | null>;
  processesOf: (child: ChildProcess) => string;
};

const sh = (script: string) => {
  const child = startGroup("sh", ["-c", script]);
  onTestFinished(() => killGroup(child));
  return child;
};

it("a group of processes passes each line on, and the exit status", async () => {
  const lines: string[] = [];
  expect(await statusOf(sh("echo one; echo two >&2; exit 3"), (line) => void lines.push(line))).toBe(3);
  expect(lines.sort()).toEqual(["one", "two"]);
});

it("a group of processes does not wait for a process that the command left behind with its output", async () => {
  const child = sh("sleep 600 & echo over");
  const lines: string[] = [];
  expect(await statusOf(child, (line) => void lines.push(line))).toBe(0);
  expect(lines).toEqual(["over"]);
  expect(processesOf(child)).toContain("sleep 600");
});

it("a group of processes ends what the command has started, and names it before", async () => {
  const child = sh("sleep 601 & echo begun; wait");
  await new Promise<void>((resolve) => void statusOf(child, () => resolve()));
  expect(processesOf(child)).toContain("sleep 601");
  killGroup(child);
  await expect.poll(() => processesOf(child)).not.toContain("sleep 601");
});
