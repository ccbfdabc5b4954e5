import fs, { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { renamePatiently } from "../../src/base/rename-patiently.js";
import { temporaryFolder } from "../support/folder.js";
import { useNodeSpies } from "../support/node-spies.js";

function onPlatform(value: NodeJS.Platform): void {
  const { platform } = process;
  Object.defineProperty(process, "platform", { value });
  onTestFinished(() => void Object.defineProperty(process, "platform", { value: platform }));
}

/** A system that refuses the first renames. */
function refusing(times: number, code: string, platform: NodeJS.Platform = "win32") {
  onPlatform(platform);
  const rename = vi.spyOn(fs, "renameSync").mockImplementation(() => {
    if (rename.mock.calls.length <= times) throw Object.assign(new Error(code), { code });
  });
  const wait = vi.spyOn(Atomics, "wait").mockReturnValue("timed-out");
  useNodeSpies();
  return { tries: () => rename.mock.calls.length, waits: () => wait.mock.calls.map(([, , , time]) => Number(time)) };
}

it.each(["EPERM", "EACCES", "EBUSY"])("a rename on Windows waits for a scanner that holds the file: %s", (code) => {
  const { tries, waits } = refusing(3, code);
  renamePatiently("a", "b");
  expect(tries()).toBe(4);
  expect(waits()).toEqual([10, 20, 40]);
});

it("a rename gives up after less than a second with the system's error", () => {
  const { waits } = refusing(Infinity, "EBUSY");
  expect(() => renamePatiently("a", "b")).toThrow("EBUSY");
  expect(waits().reduce((sum, time) => sum + time, 0)).toBeLessThan(1000);
});

it.each([
  ["ENOENT", "win32"],
  ["EACCES", "linux"],
] as const)("a rename is not retried for a permanent error, and never on other systems: %s on %s", (code, platform) => {
  const { tries } = refusing(1, code, platform);
  expect(() => renamePatiently("a", "b")).toThrow(code);
  expect(tries()).toBe(1);
});

it("a rename replaces the file", () => {
  onPlatform("win32");
  const folder = temporaryFolder();
  const [from, to] = [join(folder, "new"), join(folder, "old")];
  writeFileSync(from, "");
  writeFileSync(to, "");
  renamePatiently(from, to);
  expect([existsSync(from), existsSync(to)]).toEqual([false, true]);
});
