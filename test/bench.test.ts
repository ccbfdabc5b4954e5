/** What the benchmark prints. The figures themselves come from `npm run bench`, because no test has a timing. */
import { expect, it } from "vitest";
import { table } from "./bench/row.js";

it("the table of the benchmark says which goals are met", () => {
  const printed = table([
    { name: "fast", value: 33.3, goal: 32, higherIsBetter: true, unit: "%", spread: [30, 34] },
    { name: "large", value: 120, goal: 90, higherIsBetter: false, unit: "MB", group: "memory" },
    { name: "unknown", value: undefined, goal: 1, higherIsBetter: false, unit: "s" },
  ]);
  expect(printed).toContain("| fast | at least 32 % | 33.3 % (30.0 to 34.0) | yes |");
  expect(printed).toContain("| large | at most 90 MB | 120 MB | no | `memory` |");
  expect(printed).toContain("| unknown | at most 1 s | not measured |  |");
});
