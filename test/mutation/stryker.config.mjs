/** How StrykerJS changes the protocol of a sale; run.mjs starts it at the root of the project. */
export default {
  mutate: ["src/fiscalizer/protocol/*.ts", "src/fiscalizer/effects.ts"],
  testRunner: "vitest",
  vitest: { configFile: "test/mutation/vitest.config.ts", related: false },
  plugins: ["@stryker-mutator/vitest-runner", "./sample.mjs"].map((name) => import.meta.resolve(name)),
  checkers: ["sample"],
  // It cannot read the configuration of TypeScript 7.
  tsconfigFile: "",
  // Counting what each test covers makes the exploration many times slower.
  coverageAnalysis: "off",
  concurrency: 1,
  timeoutMS: 60_000,
  timeoutFactor: 1.5,
  tempDirName: "out/mutation/sandbox",
  ignorePatterns: ["dist", "out", "docs/pictures", "test/*/node_modules"],
  reporters: ["lines"],
  dryRunTimeoutMinutes: 30,
};
