/** The protocol of the sale in every world that can be reached (docs/reliability.md). */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Rule } from "../../src/fiscalizer/protocol/rules.js";
import { PACKAGE_ROOT } from "../../src/package-root.js";
import { A, AMOUNTS, B, CONFIGURATIONS } from "./configurations.js";
import type { Explored } from "./explore.js";
import { explored, exploredWithout, walked } from "./model.js";
import { RULES_OFF } from "./rules-off.js";
import { RULE_NAMES, withTables } from "./tables.js";

const worlds: Explored[] = [];
const withoutRule: Partial<Record<Rule, Explored>> = {};

describe("the sale's protocol", () => {
  it.each(CONFIGURATIONS)("breaks no promise: $name", (configuration) => {
    const result = explored(configuration);
    worlds.push(result);
    expect(result.violation).toBeUndefined();
  });

  it.each(RULE_NAMES)("breaks a promise without its rule %s", (rule) => {
    const result = exploredWithout(rule);
    withoutRule[rule] = result;
    expect(result.violation?.invariant).toBe(RULES_OFF[rule].finds);
  });

  it("sets a sale free by an unchanged sum, once two sales in a row have shown that its kind counts", () => {
    const tills = [A, B, { ...B, requestId: "order-3" }];
    const world = { ...AMOUNTS, name: "", tills, may: { posts: [1, 1, 1], cardFaults: 1 } };
    const { ledger } = walked(world, [
      "POS A posts order-1",
      "POS B posts order-2",
      "POS C posts order-3",
      "the card breaks off before it signs order-3",
      "order-3 is withdrawn",
    ]);
    expect(ledger.entries.map(({ requestId, state }) => [requestId, state])).toEqual([
      ["order-1", "complete"],
      ["order-2", "complete"],
    ]);
  });

  it("has the tables of docs/reliability.md; npm run explore -- --write renews them", () => {
    const page = readFileSync(join(PACKAGE_ROOT, "docs", "reliability.md"), "utf8");
    const results = { worlds, withoutRule: withoutRule as Record<Rule, Explored> };
    expect(page).toBe(withTables(page, results));
  });
});
