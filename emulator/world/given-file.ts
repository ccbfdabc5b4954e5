/** The scenarios that come with the package, and the `given` of any scenario file, without the steps. */

import { join, relative } from "node:path";
import { forwardSlashes } from "../../src/base/forward-slashes.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { at, wrongContent } from "../../src/config/config-error.js";
import { namedFile, readYaml } from "../../src/config/read-file.js";
import { compileSchema, wrongIn } from "../../src/schema/validator.js";
import { GIVEN_SCHEMA, type Given } from "./given.js";
import { EMULATOR_LIMITS } from "./limits.js";
import { substitute } from "./substitute.js";

export const MOST_SCENARIO_BYTES = 64 * 1024 * 1024;

/** Checks only `given`. The runner of scenarios checks the rest of the file. */
const validate = compileSchema<{ given?: Given }>(
  {
    type: "object",
    anyOf: [{ required: ["given"] }, { required: ["steps"] }, { required: ["expect"] }],
    properties: { given: GIVEN_SCHEMA },
  },
  EMULATOR_LIMITS.scenarioValues.value,
);

/** @param name a scenario file, or that of a shipped one @throws ConfigError that names every wrong key */
export function readGiven(name: string): Given {
  const file = namedFile("scenario", name, SHIPPED_SCENARIOS);
  const filled = withFirstCase(readYaml(file, MOST_SCENARIO_BYTES));
  return at(file, () => {
    if (validate(filled)) return filled.given ?? {};
    throw wrongContent(wrongIn(validate.errors, undefined, "names"));
  });
}

/** Replaces each ${name} in `given` by its value in the first case, if the scenario has cases. */
function withFirstCase(content: unknown): unknown {
  if (typeof content !== "object" || content === null) return content;
  const { cases, given } = content as { cases?: readonly Record<string, unknown>[]; given?: unknown };
  const first = Array.isArray(cases) ? (cases[0] as Record<string, unknown> | undefined) : undefined;
  return first && given !== undefined ? { ...content, given: substitute(given, first) } : content;
}

export const SHIPPED_SCENARIOS = join(PACKAGE_ROOT, "scenarios");

/** The name of a shipped scenario, such as `pin/card-locked`, which is the same on each machine; another file's path. */
export function scenarioName(file: string): string {
  const inside = forwardSlashes(relative(SHIPPED_SCENARIOS, file));
  return inside.startsWith("..") || inside.includes(":") ? file : inside.replace(/\.yaml$/, "");
}
