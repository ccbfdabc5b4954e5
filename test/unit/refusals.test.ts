import { expect, it } from "vitest";
import { refusalError } from "../../src/fiscalizer/refusals.js";

it.each([
  ["limit-reached", /an audit is needed/],
  ["disabled", /tax authority has disabled signing, ask it/],
  ["counter-at-end", /used up, ask the tax authority for a new card/],
] as const)("the service says for each cause of 2210 what to do: %s", (outcome, todo) => {
  const { code, message } = refusalError({ kind: outcome });
  expect([code, message]).toEqual(["2210", expect.stringMatching(todo)]);
});
