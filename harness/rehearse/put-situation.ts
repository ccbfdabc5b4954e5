/** Puts a situation of the guide into a world. */

import type { World } from "../../emulator/world/world.js";
import type { Step } from "../scenario/scenario.js";
import type { Situation } from "./situations.js";

export async function putSituation(world: World, { act }: Situation): Promise<void> {
  if ("fault" in act) world.faults.add(act.fault);
  else if ("service" in act) await world.restart("killed");
  else if (act.card === "insert") await world.insert();
  else world.reader.remove();
}

/** Returns a situation as steps of a scenario, for a recording. */
export function stepsOf({ act }: Situation): Step[] {
  return ["fault" in act ? { faults: [act.fault] } : act];
}
