/** Explores the protocol of a sale in the smallest worlds; `npm run test:all` explores all (docs/reliability.md). */
import { expect, it } from "vitest";
import { SMALLEST } from "./configurations.js";
import { explored, exploredWithout } from "./model.js";
import { RULE_NAMES } from "./rules.js";
import { RULES_OFF } from "./rules-off.js";

it.each(SMALLEST)("the sale's protocol keeps every promise: $name", (configuration) => {
  expect(explored(configuration).violation).toBeUndefined();
});

it.each(RULE_NAMES)("the sale's protocol breaks a promise only when its source breaks the rule %s", async (rule) => {
  if (rule !== "auditWaits") expect(explored({ ...RULES_OFF[rule].world, name: rule }).violation).toBeUndefined();
  const result = await exploredWithout(rule);
  expect(result.violation?.invariant).toBe(RULES_OFF[rule].finds);
});
