/** Explores the protocol of a sale in every reachable world (docs/reliability.md). */
import { expect, it } from "vitest";
import { CONFIGURATIONS } from "./configurations.js";
import { explored, exploredWithout } from "./model.js";
import { RULES_OFF } from "./rules-off.js";
import { RULE_NAMES } from "./tables.js";

it.each(CONFIGURATIONS)("the sale's protocol keeps every promise: $name", (configuration) => {
  expect(explored(configuration).violation).toBeUndefined();
});

it.each(RULE_NAMES)("the sale's protocol breaks a promise when its source breaks the rule %s", async (rule) => {
  const result = await exploredWithout(rule);
  expect(result.violation?.invariant).toBe(RULES_OFF[rule].finds);
});
