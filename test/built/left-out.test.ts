/** `npm run test:all` on a machine that lacks a program: its last lines name the tests that did not run. */
import { execFile } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { temporaryFolder } from "../support/folder.js";

it("a run of the tests leaves out a suite whose program is missing, does not call it passed, and installs nothing", async () => {
  const folder = temporaryFolder();
  const called = join(folder, "called");
  for (const program of ["apt-get", "sudo"]) {
    writeFileSync(join(folder, program), `#!/bin/sh\necho "$0 $@" >> "${called}"\n`);
    chmodSync(join(folder, program), 0o755);
  }
  const { CI: _, TILLSEAL_TEST_REPORTS: __, ...machine } = process.env;
  const env = {
    ...machine,
    PATH: `${folder}:${process.env.PATH ?? ""}`,
    TILLSEAL_TEST_CHROMIUM: join(folder, "no-browser"),
  };
  const { stdout } = await promisify(execFile)(process.execPath, ["test/run.mjs", "console"], {
    cwd: PACKAGE_ROOT,
    env,
  });
  const [result, leftOut] = stdout.trimEnd().split("\n").slice(-2);
  expect(result).toMatch(/^console {5}INCOMPLETE after \d+ s$/);
  expect(leftOut).toMatch(/^console {5}left out: the browser's tests; they need: apt-get install .*chromium/);
  expect(existsSync(called)).toBe(false);
});
