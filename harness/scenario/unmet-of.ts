/** Finds the expectations of a scenario file that a POS has not met. Tests use it. */

import { SHIPPED_SCENARIOS } from "../../emulator/world/given-file.js";
import { namedFile } from "../../src/config/read-file.js";
import { unmetBy, unmetText } from "./judge.js";
import { loadScenarios } from "./load.js";
import type { SentRequest } from "./request-types.js";

/**
 * Returns each expectation that was not met as a text.
 * @param scenario a file, or the name of a shipped scenario
 * @param requests oldest first
 * @throws Error if the scenario expects nothing of a POS; ConfigError if the file has a mistake
 */
export function unmetOf(scenario: string | undefined, requests: readonly SentRequest[]): string[] {
  if (scenario === undefined) throw new Error("there is no scenario whose expect the requests could meet");
  // We use the first of several cases, because a test starts from this case.
  const [first] = loadScenarios(namedFile("scenario", scenario, SHIPPED_SCENARIOS));
  if (!first?.expect) throw new Error(`the scenario ${scenario} has no expect`);
  return unmetBy(first.expect, requests).map(unmetText);
}
