/** Which situations come with the package, each with the world that it starts from. */
import { join, relative } from "node:path";
import { PACKAGE_ROOT } from "../../src/package-root.js";
import type { Given } from "../world/given.js";
import { loadScenarios, scenarioFiles } from "./load.js";

export const SHIPPED_SCENARIOS = join(PACKAGE_ROOT, "scenarios");

export interface ShippedScenario {
  /** `pin/card-locked`. */
  readonly name: string;
  readonly title: string;
  readonly given: Given;
}

let shipped: readonly ShippedScenario[] | undefined;

/** A file's first case where it has several, as `serve --scenario` takes it. */
export function shippedGivens(): readonly ShippedScenario[] {
  shipped ??= scenarioFiles([SHIPPED_SCENARIOS]).flatMap((file) => {
    const [first] = loadScenarios(file);
    if (!first) return [];
    const name = relative(SHIPPED_SCENARIOS, file)
      .replaceAll("\\", "/")
      .replace(/\.yaml$/, "");
    return [{ name, title: first.name, given: first.given }];
  });
  return shipped;
}
