/** What a run of the tests prints beside the results: how far it is, and which files took longest. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

const MODULE = join(PACKAGE_ROOT, "test", "support", "file-count.mjs");
const { default: FileCount } = (await import(pathToFileURL(MODULE).href)) as {
  default: new () => {
    onTestRunStart(files: readonly unknown[]): void;
    onTestModuleEnd(file: { relativeModuleId: string; diagnostic(): { duration: number } }): void;
    onTestRunEnd(): void;
  };
};

it("a run of the tests counts its files every five seconds, and names the five longest", () => {
  const printed = vi.spyOn(console, "log").mockImplementation(() => undefined);
  vi.useFakeTimers();
  onTestFinished(() => {
    vi.useRealTimers();
    printed.mockRestore();
  });
  const count = new FileCount();
  count.onTestRunStart([1, 2, 3, 4, 5, 6, 7]);
  for (const seconds of [3, 1, 4, 1, 5, 9, 2]) {
    vi.advanceTimersByTime(2_000);
    count.onTestModuleEnd({ relativeModuleId: `${seconds}.test.ts`, diagnostic: () => ({ duration: seconds * 1000 }) });
  }
  count.onTestRunEnd();
  expect(printed.mock.calls.flat()).toEqual([
    "3 of 7 files have run",
    "6 of 7 files have run",
    "longest: 9.test.ts 9 s, 5.test.ts 5 s, 4.test.ts 4 s, 3.test.ts 3 s, 2.test.ts 2 s",
  ]);
});
