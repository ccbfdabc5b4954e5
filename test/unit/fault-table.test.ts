/** The result table of the fault tests, added up from parts that ran in parallel. */
import { expect, it } from "vitest";
import type { Plan } from "../faults/plan.js";
import { Table } from "../faults/table.js";

const plan = (pos: number, ...names: readonly string[]): Plan => ({
  tortures: names.map((name) => ({ name, reality: "real" })),
  pos,
  sales: 6,
});

it("the table of faults is the same for sequential and for parallel runs", () => {
  const runs = [
    { of: plan(1, "a"), result: { violations: [], signatures: 6, kills: 1, trace: [] } },
    { of: plan(8, "a", "b"), result: { violations: ["lost"], signatures: 9, kills: 0, trace: [] } },
    { of: plan(1, "b"), result: { violations: [], signatures: 7, kills: 2, trace: [] } },
  ];
  const table = (chosen: typeof runs) => {
    const made = new Table();
    for (const { of, result } of chosen) made.add(of, result);
    return made;
  };
  const parts = [runs.slice(0, 1), runs.slice(1)].map((part) => JSON.stringify(table(part)));
  const whole = Table.ofParts(parts);
  expect(whole.text(60)).toBe(table(runs).text(60));
  expect([whole.runs, whole.failed]).toEqual([3, 1]);
  expect(whole.text(60)).toContain("| b | real | 2 | 2 | 16 | 1 |");
});
