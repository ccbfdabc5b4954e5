import { join } from "node:path";
import { defineConfig } from "vitest/config";

const PCSC = "test/pcsc/**/*.test.ts";
const PKI = "test/pki/**/*.test.ts";
const CONTAINER = "test/container/**/*.test.ts";

/** Folder where .ci/run wants the counts, a file a suite. */
const reports = process.env.TILLSEAL_TEST_REPORTS;
const suite = process.env.TILLSEAL_TEST_SUITE ?? "main";

export default defineConfig({
  test: {
    globalSetup: ["test/support/build.mjs"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Vitest leaves one core free, and most tests wait for something.
    maxWorkers: "100%",
    reporters:
      reports === undefined ? ["default"] : ["default", ["json", { outputFile: join(reports, `${suite}.json`) }]],
    projects: [
      {
        extends: true,
        test: {
          name: "main",
          include: ["test/**/*.test.ts"],
          exclude: [PCSC, PKI, CONTAINER, "**/node_modules/**"],
          // The files of a worker share the loaded modules: loading them anew for each file cost a third of the suite.
          isolate: false,
        },
      },
      // One pcscd, one virtual reader: one file after the other. test/pcsc/run.mjs starts them.
      { extends: true, test: { name: "pcsc", include: [PCSC], fileParallelism: false, testTimeout: 120_000 } },
      // What depends on the module again, over the second one, when the files above are through.
      {
        extends: true,
        test: {
          name: "pcsclite",
          include: ["contract", "faults", "sales"].map((name) => `test/pcsc/${name}.test.ts`),
          fileParallelism: false,
          testTimeout: 120_000,
          env: { TILLSEAL_PCSC_MODULE: "pcsclite" },
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { name: "pki", include: [PKI], fileParallelism: false, testTimeout: 120_000 } },
      // test/container/run.mjs builds the images first. Two cores play one scenario suite at a time.
      {
        extends: true,
        test: { name: "container", include: [CONTAINER], fileParallelism: false, testTimeout: 120_000 },
      },
    ],
  },
});
