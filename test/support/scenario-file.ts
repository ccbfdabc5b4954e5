/** A scenario in a file, as a user writes it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadScenarios } from "../../harness/scenario/load.js";
import { play } from "../../harness/scenario/play.js";
import { failureText } from "../../harness/scenario/played-row.js";
import type { Scenario } from "../../harness/scenario/scenario.js";
import { openWorldStage } from "../../harness/scenario/world-stage.js";
import { temporaryFolder } from "./folder.js";

/** @returns the path of the file, which is deleted at the end of the test */
export function scenarioFile(text: string): string {
  const file = join(temporaryFolder(), "scenario.yaml");
  writeFileSync(file, text);
  return file;
}

/** The first scenario of a file. */
export function scenarioIn(file: string): Scenario {
  const [scenario] = loadScenarios(file);
  if (!scenario) throw new Error(`there is no scenario in ${file}`);
  return scenario;
}

/** Why the first scenario of a file fails, or undefined when it passes. */
export async function whyFailing(file: string): Promise<string | undefined> {
  const { scenario, failure } = await play(scenarioIn(file), openWorldStage());
  return failure && failureText(scenario, failure);
}
