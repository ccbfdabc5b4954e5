/** The worlds of the exploration without its rules, which are changes of the source that a changed source does not have. */
import { expect, it } from "vitest";
import { CONFIGURATIONS } from "../exploration/configurations.js";
import { explored } from "../exploration/model.js";

it.each(CONFIGURATIONS)("keeps every promise: $name", (configuration) => {
  expect(explored(configuration).violation).toBeUndefined();
});
