/** Shipped scenarios that look at the body of an error pass in the form of devices, too. */
import { expect, it } from "vitest";
import { SHIPPED_SCENARIOS } from "../../emulator/world/given-file.js";
import { loadScenarios, scenarioFiles } from "../../harness/scenario/load.js";
import { play } from "../../harness/scenario/play.js";
import type { Scenario } from "../../harness/scenario/scenario.js";
import { openWorldStage } from "../../harness/scenario/world-stage.js";
import { bareStatus } from "../../src/fiscal/answer-form.js";

/** Codes that a scenario expects and a device answers in its own form: bare, or as a refused PIN. */
function deviceCodes({ steps }: Scenario): string[] {
  const codes = JSON.stringify(steps).match(/(?:"code":|"(?:text|json)":\\?"?)"?\\?"?(\d{4})/g) ?? [];
  const ends = codes.map((found) => found.slice(-4));
  return ends.filter((code) => /21[01]0$/.test(code) || bareStatus("device", code) !== undefined);
}

const shown = new Set<string>();
/** The first scenario with each code: test/emulator/scenario.test.ts plays all in our form. */
const scenarios = scenarioFiles([SHIPPED_SCENARIOS])
  .flatMap(loadScenarios)
  .filter((scenario) => {
    const isNew = !scenario.expect && deviceCodes(scenario).some((code) => !shown.has(code));
    if (isNew) for (const code of deviceCodes(scenario)) shown.add(code);
    return isNew;
  });

it("a shipped scenario in the form of devices has each code that a device answers in another form", () => {
  expect([...shown].toSorted()).toEqual(["1300", "1500", "1999", "2100", "2110", "2400"]);
});

it.each(scenarios.map((scenario) => [scenario.name, scenario] as const))(
  "a shipped scenario in the form of devices passes: %s",
  async (_, scenario) => {
    const { given } = scenario;
    const device = { ...scenario, given: { ...given, settings: { ...given.settings, answerForm: "device" as const } } };
    const { outcome, failure } = await play(device, openWorldStage());
    expect([outcome, failure?.message, failure?.differences ?? []]).toEqual(["passed", undefined, []]);
  },
);
