/** The tests that must notice a changed line. */
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const HTTP = [
  "card-counters",
  "card-without-last-invoice",
  "damaged-answer",
  "full-disk",
  "lost-answer",
  "odd-last-invoice",
  "one-commit",
  "other-applet",
  "queue",
  "repeated-sale",
  "request-id",
  "store-behind-card",
];

/** In the order of `include`: the worlds find most changes within seconds, and the first failure ends a run. */
class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => INCLUDE.findIndex((name) => moduleId.endsWith(name));
    return files.toSorted((a, b) => place(a) - place(b));
  }
}

const PROTOCOL = ["test/mutation/worlds.ts", ...HTTP.map((name) => `test/http/${name}.test.ts`)];

const FILES = (process.env.MUTATION_FILES ?? "").split(" ");
const TESTS = FILES.filter((file) => file.startsWith("test/"));
const FOLDERS = ["unit", "contract", "authority"].map((name) => `test/${name}/*.test.ts`);
const INCLUDE = TESTS.length > 0 ? TESTS : FILES[0] ? FOLDERS : PROTOCOL;

export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 60_000,
    include: INCLUDE,
    sequence: { sequencer: InOrder },
    isolate: false,
  },
});
