/** What the benchmark prints. The figures themselves come from `npm run bench`, because no test has a timing. */
import { expect, it } from "vitest";
import { isMet, json, type Row, table } from "./bench/row.js";

const rows: Row[] = [
  { name: "fast", value: 33.3, goal: 32, higherIsBetter: true, unit: "%", spread: [30, 34] },
  { name: "large", value: 120, goal: 90, higherIsBetter: false, unit: "MB", group: "memory" },
  { name: "unknown", value: undefined, goal: 1, higherIsBetter: false, unit: "s" },
];

it("the table of the benchmark says which goals are met, to people and to programs", () => {
  expect(rows.map(isMet)).toEqual([true, false, false]);
  expect(table(rows)).toContain("| fast    | 33.3 % (30.0 to 34.0) | at least 32 % | yes |");
  expect(table(rows)).toMatch(/at most 90 MB +\| no +\| memory \|/);
  expect(JSON.parse(json(rows))).toEqual({
    rows: [
      { name: "fast", value: 33.3, goal: 32, met: true },
      { name: "large", value: 120, goal: 90, met: false },
      { name: "unknown", value: null, goal: 1, met: false },
    ],
  });
});
