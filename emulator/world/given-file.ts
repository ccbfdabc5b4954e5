/** `given` of a scenario file, without its steps. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse as parseYaml } from "yaml";
import { ConfigError } from "../../src/config/load.js";
import { PACKAGE_ROOT } from "../../src/package-root.js";
import { compileSchema, explainErrors } from "../../src/schema/validator.js";
import { substitute } from "../scenario/substitute.js";
import { GIVEN_SCHEMA, type Given } from "./given.js";

/** What else a scenario has is its runner's business. */
const validate = compileSchema<{ given?: Given }>({
  type: "object",
  anyOf: [{ required: ["given"] }, { required: ["steps"] }],
  properties: { given: GIVEN_SCHEMA },
});

/**
 * @param name a scenario file, or the name of a shipped one such as `pin/card-locked`
 * @throws ConfigError that names the file and every wrong key
 */
export function readGiven(name: string): Given {
  const shipped = join(PACKAGE_ROOT, "scenarios", `${name}.yaml`);
  const file = existsSync(shipped) ? shipped : name;
  let content: unknown;
  try {
    content = parseYaml(readFileSync(file, "utf8"));
  } catch (error) {
    throw new ConfigError(`${file}: cannot be read: ${error instanceof Error ? error.message : error}`);
  }
  const filled = withFirstCase(content);
  if (validate(filled)) return filled.given ?? {};
  throw new ConfigError(`${file}: ${explainErrors(validate.errors).join("; ")}`);
}

/** Of several cases the first is meant. */
function withFirstCase(content: unknown): unknown {
  if (typeof content !== "object" || content === null) return content;
  const { cases, given } = content as { cases?: readonly Record<string, unknown>[]; given?: unknown };
  const first = Array.isArray(cases) ? (cases[0] as Record<string, unknown> | undefined) : undefined;
  return first && given !== undefined ? { ...content, given: substitute(given, first) } : content;
}
