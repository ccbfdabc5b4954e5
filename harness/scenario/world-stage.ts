/** A stage in a world of this process. */
import { World } from "../../emulator/world/world.js";
import { isAuditDue, isLimitReached } from "../../src/fiscal/limit.js";
import { httpCall, onlineCall } from "./http-call.js";
import { checkedState, type OpenStage, type Stage } from "./stage.js";

/** Opens a new world for each scenario. */
export function openWorldStage(options = { realTime: false }): OpenStage {
  return async ({ given }) => stageIn(await World.open(given, options));
}

export function stageIn(world: World): Stage {
  return {
    foreign: false,
    lifeState: () => lifeState(world),
    call: (request) => httpCall(world.url, request),
    callOnline: async (request) => onlineCall(world.look("vsdc"), request),
    act: async (step) => void (await world.do(step)),
    state: async () => checkedState(world.look("card"), await world.look("store"), world.look("authority").standing),
    close: () => world.close(),
  };
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
