import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { renamePatiently } from "../../src/base/rename-patiently.js";
import { temporaryFolder } from "../support/folder.js";

/** A system that refuses the first renames. */
function refusing(times: number, code: string, platform: NodeJS.Platform = "win32") {
  let tries = 0;
  const waits: number[] = [];
  const rename = () => {
    tries += 1;
    if (tries <= times) throw Object.assign(new Error(code), { code });
  };
  const wait = (time: number) => void waits.push(time);
  return { means: { platform, rename, wait }, tries: () => tries, waits };
}

it.each(["EPERM", "EACCES", "EBUSY"])(
  "a rename on Windows waits for a virus scanner that holds the file: %s",
  (code) => {
    const { means, tries, waits } = refusing(3, code);
    renamePatiently("a", "b", means);
    expect(tries()).toBe(4);
    expect(waits).toEqual([10, 20, 40]);
  },
);

it("a rename gives up after less than a second with the system's error", () => {
  const { means, waits } = refusing(Infinity, "EBUSY");
  expect(() => renamePatiently("a", "b", means)).toThrow("EBUSY");
  expect(waits.reduce((sum, time) => sum + time, 0)).toBeLessThan(1000);
});

it("a rename is not retried for a permanent error, and never on other systems", () => {
  for (const { means, tries } of [refusing(1, "ENOENT"), refusing(1, "EACCES", "linux")]) {
    expect(() => renamePatiently("a", "b", means)).toThrow();
    expect(tries()).toBe(1);
  }
});

it("a rename replaces the file", () => {
  const folder = temporaryFolder();
  const [from, to] = [join(folder, "new"), join(folder, "old")];
  writeFileSync(from, "");
  writeFileSync(to, "");
  renamePatiently(from, to, { platform: "win32" });
  expect([existsSync(from), existsSync(to)]).toEqual([false, true]);
});
