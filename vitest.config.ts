import "./build/node.mjs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** Kills at each change of a file, and the peak of the memory. */
const SLOW = "test/slow/**/*.test.ts";
const PCSC = "test/pcsc/**/*.test.ts";
const PKI = "test/pki/**/*.test.ts";
const CONTAINER = "test/container/**/*.test.ts";
/** These run the sources. All others may run the built package, too. */
const UNIT = ["unit", "contract", "authority", "exploration", "architecture", "citations"].flatMap((name) => [
  `test/${name}/**/*.test.ts`,
  `test/${name}.test.ts`,
]);
/** Builds first if a source has changed. Vitest calls it only for the projects of the chosen files. */
const globalSetup = ["test/support/build.mjs"];

/** Set by test/run.mjs. */
const suite = process.env.TILLSEAL_TEST_SUITE;
const counting: string[] = suite === undefined ? [] : ["./test/support/file-count.mjs"];
/** Folder for the reports that .ci/run counts, one file for each suite. */
const folder = process.env.TILLSEAL_TEST_REPORTS;
const reports: ["json", { outputFile: string }][] =
  folder === undefined ? [] : [["json", { outputFile: join(folder, `${suite}.json`) }]];

export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    // Vitest leaves one core free by default, but most tests spend their time waiting.
    maxWorkers: "100%",
    reporters: ["default", ...counting, ...reports],
    projects: [
      // The files of a worker share loaded modules. Loading them again for each file took a third of the time.
      { extends: true, test: { name: "unit", include: UNIT, isolate: false } },
      {
        extends: true,
        test: {
          name: "main",
          include: ["test/**/*.test.ts"],
          exclude: [...UNIT, SLOW, PCSC, PKI, CONTAINER, "**/node_modules/**"],
          globalSetup,
          isolate: false,
        },
      },
      { extends: true, test: { name: "slow", include: [SLOW], globalSetup, isolate: false } },
      // The files share one pcscd and one virtual reader, so they run one after the other. test/pcsc/run.mjs starts both.
      {
        extends: true,
        test: { name: "pcsc", include: [PCSC], globalSetup, fileParallelism: false, testTimeout: 120_000 },
      },
      // After the files above, the tests that depend on the PC/SC module run again with the second module.
      {
        extends: true,
        test: {
          name: "pcsclite",
          include: ["contract", "faults", "sales"].map((name) => `test/pcsc/${name}.test.ts`),
          globalSetup,
          fileParallelism: false,
          testTimeout: 120_000,
          env: { TILLSEAL_PCSC_MODULE: "pcsclite" },
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: "pki", include: [PKI], globalSetup, fileParallelism: false, testTimeout: 120_000 },
      },
      // test/container/run.mjs builds the images first. The files run one after the other, because two cores play one suite at a time.
      {
        extends: true,
        test: { name: "container", include: [CONTAINER], globalSetup, fileParallelism: false, testTimeout: 120_000 },
      },
    ],
  },
});
