/** Puts a situation of the guide into a world. */
import type { World } from "../../emulator/world/world.js";
import { actOn } from "../scenario/play.js";
import { loadedStep } from "../scenario/scenario.js";
import { WorldStage } from "../scenario/world-stage.js";
import type { Situation } from "./situations.js";

/** @throws UserError if the world has no authority and the situation needs one */
export async function putSituation(world: World, { steps }: Situation): Promise<void> {
  const stage = new WorldStage(world);
  for (const step of steps) await actOn(stage, loadedStep(step));
}
