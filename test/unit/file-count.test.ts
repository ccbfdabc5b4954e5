/** What a run of the tests prints beside the results: how far it is, which files took longest, and why the build failed. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it, onTestFinished, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { temporaryFolder } from "../support/folder.js";

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

it("after a failed build the last thing that a run of the tests prints is the error of the build", () => {
  const folder = temporaryFolder();
  for (const path of ["build/build.mjs", "build/node.mjs", "build/older-node", "test/support/build.mjs"])
    cpSync(join(PACKAGE_ROOT, path), join(folder, path), { recursive: true });
  const compiler = join(folder, "node_modules", "typescript", "bin", "tsc");
  mkdirSync(join(compiler, ".."), { recursive: true });
  const error = "src/money.ts(1,1): error TS2322: wrong";
  writeFileSync(compiler, `console.log("${error}"); process.exit(2);`);
  for (const file of ["package.json", "package-lock.json", "tsconfig.json", "tsconfig.build.json", "vite.config.ts"])
    writeFileSync(join(folder, file), "{}");
  writeFileSync(
    join(folder, "vitest.config.mjs"),
    'export default { test: { globalSetup: "test/support/build.mjs" } };',
  );
  writeFileSync(join(folder, "one.test.ts"), "");
  const vitest = join(PACKAGE_ROOT, "node_modules", "vitest", "vitest.mjs");
  const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, "run"], { cwd: folder, encoding: "utf8" });
  expect([status, stdout.trimEnd().split("\n").at(-1), stderr]).toEqual([
    1,
    error,
    "tillseal compiles the sources ...\n",
  ]);
});
