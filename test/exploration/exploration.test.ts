/** Explores the protocol of a sale in every reachable world (docs/reliability.md). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { CONFIGURATIONS } from "./configurations.js";
import type { Explored } from "./explore.js";
import { explored, exploredWithout } from "./model.js";
import type { Rule } from "./rules.js";
import { RULES_OFF } from "./rules-off.js";
import { RULE_NAMES, withTables } from "./tables.js";

const worlds: Explored[] = [];
const withoutRule: Partial<Record<Rule, Explored>> = {};

describe("the sale's protocol", () => {
  it.each(CONFIGURATIONS)("keeps every promise: $name", (configuration) => {
    const result = explored(configuration);
    worlds.push(result);
    expect(result.violation).toBeUndefined();
  });

  it.each(RULE_NAMES)("breaks a promise when its source breaks the rule %s", async (rule) => {
    const result = await exploredWithout(rule);
    withoutRule[rule] = result;
    expect(result.violation?.invariant).toBe(RULES_OFF[rule].finds);
  });

  it("has the tables of docs/reliability.md; npm run explore -- --write renews them", () => {
    const page = readFileSync(join(PACKAGE_ROOT, "docs", "reliability.md"), "utf8");
    const results = { worlds, withoutRule: withoutRule as Record<Rule, Explored> };
    expect(page).toBe(withTables(page, results));
  });
});
