/** A stage in a world of this process. */
import { World } from "../../emulator/world/world.js";
import { isAuditDue, isLimitReached } from "../../src/fiscal/limit.js";
import { type OpenStage, type Stage, stageIn } from "./stage.js";

export function openWorldStage(options = { realTime: false }): OpenStage {
  return async ({ given }) => worldStage(await World.open(given, options));
}

export function worldStage(world: World): Stage {
  return { ...stageIn(world, () => world.url), lifeState: () => lifeState(world), close: () => world.close() };
}

/** The state of the card's life, which the coverage counts. */
function lifeState(world: World): string {
  if (world.reader.slot === "no-reader") return "no reader";
  if (!world.card) return "no card";
  const { pinTriesLeft, disabled, sum, limit } = world.card.memory.load();
  if (pinTriesLeft === 0) return "PIN locked";
  if (disabled) return "disabled";
  if (!world.service.configured) return "not configured";
  if (world.pinState !== "verified") return "PIN needed";
  if (isLimitReached({ sum, limit })) return "blocked";
  return isAuditDue({ sum, limit }) ? "audit recommended" : "ready";
}
