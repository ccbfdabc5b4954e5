/** Lists the situations that come with the package, each with the world that it starts from. */

import type { ScenarioRecord } from "../../emulator/world/card-types.js";
import type { Given } from "../../emulator/world/given.js";
import { SHIPPED_SCENARIOS, scenarioName } from "../../emulator/world/given-file.js";
import { loadScenarios, scenarioFiles } from "./load.js";

interface ShippedScenario extends ScenarioRecord {
  readonly given: Given;
}

let shipped: readonly ShippedScenario[] | undefined;

/** Cases with the same world are one situation; scenarios with an ordinary world are left out. */
export function shippedGivens(): readonly ShippedScenario[] {
  shipped ??= scenarioFiles([SHIPPED_SCENARIOS]).flatMap((file) => {
    const name = scenarioName(file);
    const cases = loadScenarios(file);
    const worlds = new Map(
      cases.map(({ given, name: title, serbian }) => [JSON.stringify(given), { title, serbian: serbian?.name, given }]),
    );
    const situations = [...worlds.values()].filter(({ given }) => !isOrdinary(given));
    // If all cases have the same world, the title has no case name.
    const whole = worlds.size === 1 && cases.length > 1;
    const nameOf = (title: string) => (whole ? title.replace(/: [^:]*$/, "") : title);
    return situations.map(({ title, serbian, given }) => ({
      name,
      title: nameOf(title),
      ...(serbian === undefined ? {} : { serbian: nameOf(serbian) }),
      given,
    }));
  });
  return shipped;
}

/** Whether the world is the default world. A verified PIN and a seed make no difference. */
function isOrdinary({ card, seed: _, ...others }: Given): boolean {
  const { pinVerified: __, ...rest } = card ?? {};
  return Object.keys(others).length === 0 && Object.keys(rest).length === 0;
}
