/** What the benchmark prints. The figures themselves come from `npm run bench`, because no test has a timing. */
import { expect, it } from "vitest";
import { lines } from "./bench/row.js";

it("the table of the benchmark has the median of the rounds' ratios, and says which goals are met", () => {
  const printed = lines([
    { name: "slow", beside: "another", goal: 2, own: [30, 90, 40], other: [10, 10, 10], unit: "ms", group: "start" },
    { name: "fast", goal: 5, own: [30, 90, 40], other: [10, 10, 10], unit: "a second" },
    { name: "alone", own: [120, 130, 110], unit: "MB", group: "heap" },
  ]);
  expect(printed).toContain("| slow | another | at most 2 | 4.00 (3.00 to 9.00) | no | 40.0, 10.0 | ms | `start` |");
  expect(printed).toContain("| fast |  | at most 5 | 4.00 (3.00 to 9.00) | yes | 40.0, 10.0 | a second |");
  expect(printed).toContain("| alone |  |  |  |  | 120 | MB | `heap` |");
});
