/** What an approval of the service asks, and the evidence for it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { CASES, DEMANDS, scenariosOf } from "../../build/docs/approval.js";
import { SHIPPED_SCENARIOS } from "../../emulator/world/given-file.js";
import { loadScenarios, scenarioFiles } from "../../harness/scenario/load.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

const PROTOCOL = readFileSync(join(PACKAGE_ROOT, "docs", "protocol.md"), "utf8");
const SCENARIOS = scenarioFiles([SHIPPED_SCENARIOS]).flatMap(loadScenarios);
const ROWS = [...CASES, ...DEMANDS];

/** The ids in the first column of a table of section 9, with ranges such as `OFFLINE-002` to `-008` taken apart. */
function casesOfSection9(): string[] {
  const [, section = ""] = /^## 9\..*$([\s\S]*?)^## /m.exec(PROTOCOL) ?? [];
  return [...section.matchAll(/^\| (`[A-Z]+-\d{3}`[^|]*)\|/gm)].flatMap(([, cell = ""]) => {
    const name = /`([A-Z]+)-/.exec(cell)?.[1] ?? "";
    const [first = 0, last = first] = [...cell.matchAll(/-(\d{3})/g)].map(([, number]) => Number(number));
    return Array.from({ length: last - first + 1 }, (_, i) => `${name}-${String(first + i).padStart(3, "0")}`);
  });
}

it("the rows of an approval have each case of the protocol facts once", () => {
  const cases = casesOfSection9();
  expect(cases).toHaveLength(38);
  expect(CASES.map(({ id }) => id).toSorted()).toEqual(cases.toSorted());
  expect(new Set(ROWS.map(({ id }) => id)).size).toBe(ROWS.length);
});

it.each(CASES)("the rows of an approval $id has a scenario", (row) => {
  expect(scenariosOf(row, SCENARIOS)).not.toEqual([]);
});

it.each(ROWS)(
  "the rows of an approval $id has an owner, and its evidence exists or is named as missing",
  ({ id, owner, evidence, missing }) => {
    expect(["we", "the shop", "the authority"]).toContain(owner);
    const files = evidence.filter((text) => text.includes("/"));
    expect(files.filter((file) => !existsSync(join(PACKAGE_ROOT, file)))).toEqual([]);
    if (evidence.length === 0 && DEMANDS.some((demand) => demand.id === id)) expect(missing).toBeDefined();
  },
);
