/** How StrykerJS changes the protocol of a sale; run.mjs starts it at the root of the project. */
const sources = (process.env.MUTATION_FILES ?? "").split(" ").filter((file) => file.startsWith("src/"));

export default {
  mutate: sources.length > 0 ? sources : ["src/fiscalizer/protocol/*.ts", "src/fiscalizer/effects.ts"],
  testRunner: "vitest",
  vitest: { configFile: "test/mutation/vitest.config.ts", related: sources.length > 0 },
  plugins: ["@stryker-mutator/vitest-runner", "./sample.mjs"].map((name) => import.meta.resolve(name)),
  checkers: ["sample"],
  // It cannot read the configuration of TypeScript 7.
  tsconfigFile: "",
  // Vitest checks no types, and a test compares a source with its text.
  disableTypeChecks: false,
  // Counting what each test covers makes the exploration many times slower.
  coverageAnalysis: sources.length > 0 ? "perTest" : "off",
  concurrency: 1,
  timeoutMS: 60_000,
  timeoutFactor: 1.5,
  tempDirName: "out/mutation/sandbox",
  ignorePatterns: ["out", "docs/pictures", "test/*/node_modules"],
  reporters: ["lines"],
  dryRunTimeoutMinutes: 30,
};
