/** Lists the situations that come with the package, each with the world that it starts from. */

import type { ScenarioRecord } from "../../emulator/world/card-types.js";
import type { Given } from "../../emulator/world/given.js";
import { SHIPPED_SCENARIOS, scenarioName } from "../../emulator/world/given-file.js";
import { didYouMean } from "../../src/base/did-you-mean.js";
import { CallError } from "../../src/http/call-errors.js";
import { loadScenarios, scenarioFiles } from "./load.js";
import { isWorldStep, type OrderEntry, type Scenario } from "./scenario.js";
import { stepsIn } from "./situations.js";

export interface ShippedScenario extends ScenarioRecord {
  readonly given: Given;
  readonly inOrder?: readonly OrderEntry[];
}

let shipped: readonly ShippedScenario[] | undefined;

/** Cases with the same world are one situation; scenarios with an ordinary world and without something to do are left out. */
export function shippedGivens(): readonly ShippedScenario[] {
  shipped ??= scenarioFiles([SHIPPED_SCENARIOS]).flatMap((file) => {
    const cases = loadScenarios(file);
    const worlds = new Map(cases.map((one) => [JSON.stringify(one.given), one]));
    const situations = [...worlds.values()].filter(({ given, todo }) => todo !== undefined || !isOrdinary(given));
    // If all cases have the same world, the title has no case name.
    const whole = worlds.size === 1 && cases.length > 1;
    return situations.map((scenario) => recordOf(scenario, (title) => (whole ? title.replace(/: [^:]*$/, "") : title)));
  });
  return shipped;
}

function recordOf(
  { file, name, about, todo, serbian, rows, given, expect }: Scenario,
  titleOf: (title: string) => string,
) {
  const inOrder = stepsIn(expect);
  const [first] = inOrder ?? [];
  const { authority: _, ...ordinary } = given;
  return {
    name: scenarioName(file),
    title: titleOf(name),
    ...(serbian && { serbian: { ...serbian, name: titleOf(serbian.name) } }),
    ...(todo !== undefined && { about: about ?? "", todo, rows }),
    given,
    ...(inOrder && { inOrder }),
    driven: first !== undefined && isWorldStep(first) && isOrdinary(ordinary),
  };
}

/** The situations that a till in use can be put into: their steps come first, and their world is an ordinary one. */
export const drivenSituations = (): readonly ShippedScenario[] => shippedGivens().filter(({ driven }) => driven);

/** @throws CallError if there is no such situation, or it cannot be put into a running world */
export function drivenSituation(name: string): ShippedScenario {
  const found = drivenSituations().find((one) => one.name === name);
  if (found) return found;
  if (shippedGivens().some((one) => one.name === name))
    throw new CallError(400, `${name} begins a new till: send its given to POST /control/given`);
  const names = drivenSituations().map((one) => one.name);
  throw new CallError(404, `There is no situation ${name}${didYouMean(name, names)}`);
}

/** Whether the world is the default world. A verified PIN and a seed make no difference. */
function isOrdinary({ card, seed: _, ...others }: Given): boolean {
  const { pinVerified: __, ...rest } = card ?? {};
  return Object.keys(others).length === 0 && Object.keys(rest).length === 0;
}
