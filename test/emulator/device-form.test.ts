/** The shipped scenarios that look at the body of an error pass in the form of devices, too. */
import { describe, expect, it } from "vitest";
import { loadScenarios, scenarioFiles } from "../../emulator/scenario/load.js";
import { play } from "../../emulator/scenario/play.js";
import type { Scenario } from "../../emulator/scenario/scenario.js";
import { WorldStage } from "../../emulator/scenario/world-stage.js";
import { SHIPPED_SCENARIOS } from "../../emulator/world/shipped-folder.js";
import { bareStatus } from "../../src/fiscal/answer-form.js";

/** Whether a scenario expects an error that a device answers with its bare code, or a refused PIN. */
function looksAtForm({ steps }: Scenario): boolean {
  const codes = JSON.stringify(steps).match(/(?:"code":|"(?:text|json)":\\?"?)"?\\?"?(\d{4})/g) ?? [];
  return codes.some((found) => /21[01]0$/.test(found) || bareStatus("device", found.slice(-4)) !== undefined);
}

const scenarios = scenarioFiles([SHIPPED_SCENARIOS])
  .flatMap(loadScenarios)
  .filter((scenario) => !scenario.expect && looksAtForm(scenario));

describe("a shipped scenario in the form of devices", () => {
  it("there are some", () => {
    expect(scenarios.length).toBeGreaterThan(15);
  });

  it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))("passes: %s", async (_, scenario) => {
    const { given } = scenario;
    const device = { ...scenario, given: { ...given, settings: { ...given.settings, answerForm: "device" as const } } };
    const { status, failure } = await play(device, (one) => WorldStage.open(one.given, { realTime: false }));
    expect([status, failure?.message, failure?.differences ?? []]).toEqual(["passed", undefined, []]);
  });
});
