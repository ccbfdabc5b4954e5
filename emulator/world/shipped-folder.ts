/** The folder of the scenarios that come with the package. */
import { join, relative } from "node:path";
import { forwardSlashes } from "../../src/base/forward-slashes.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

export const SHIPPED_SCENARIOS = join(PACKAGE_ROOT, "scenarios");

/** The name of a shipped scenario, such as `pin/card-locked`, which is the same on each machine; another file's path. */
export function scenarioName(file: string): string {
  const inside = forwardSlashes(relative(SHIPPED_SCENARIOS, file));
  return inside.startsWith("..") || inside.includes(":") ? file : inside.replace(/\.yaml$/, "");
}
