/** What an approval of the service asks, and the evidence for it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { APPROVAL_ROWS, scenariosOf } from "../../build/docs/approval.js";
import { SHIPPED_SCENARIOS } from "../../emulator/world/given-file.js";
import { loadScenarios, scenarioFiles } from "../../harness/scenario/load.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

const PROTOCOL = readFileSync(join(PACKAGE_ROOT, "docs", "protocol.md"), "utf8");
const SCENARIOS = scenarioFiles([SHIPPED_SCENARIOS]).flatMap(loadScenarios);
const isCase = ({ id }: { readonly id: string }) => /^(ONLINE|OFFLINE|API|RECEIPT|STATE)-\d{3}$/.test(id);

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
  expect(
    APPROVAL_ROWS.filter(isCase)
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(cases.toSorted());
  expect(new Set(APPROVAL_ROWS.map(({ id }) => id)).size).toBe(APPROVAL_ROWS.length);
});

it.each(APPROVAL_ROWS.filter(isCase))("the rows of an approval $id has a scenario", (row) => {
  expect(scenariosOf(row, SCENARIOS)).not.toEqual([]);
});

it.each(APPROVAL_ROWS)(
  "the rows of an approval $id has an owner, and its evidence exists or is named as missing",
  ({ owner, evidence, missing, ...row }) => {
    expect(["we", "the shop", "the authority"]).toContain(owner);
    const files = evidence.filter((text) => text.includes("/"));
    expect(files.filter((file) => !existsSync(join(PACKAGE_ROOT, file)))).toEqual([]);
    if (evidence.length === 0 && !isCase(row)) expect(missing).toBeDefined();
  },
);
