/** A stage in a world of this process. */
import { patchClock } from "../../emulator/faults/emulated-clock.js";
import { type AuthorityAct, isDone, OUTCOME_TEXTS } from "../../emulator/world/authority-actions.js";
import { cardRecord, patchCard } from "../../emulator/world/card-bench.js";
import { World } from "../../emulator/world/world.js";
import { isAuditDue, isLimitReached } from "../../src/fiscal/limit.js";
import { httpCall, onlineCall } from "./http-call.js";
import type { AuthorityAction, CardAction, CardAtAuthority, WorldStep } from "./scenario.js";
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
    callOnline: async (request) => onlineCall({ ...world.onlineAccess(), url: world.vsdc?.url ?? "" }, request),
    act: (step) => actIn(world, step),
    state: async () => checkedState(cardRecord(world), world.service.stored, world.audits.status()),
    close: () => world.close(),
  };
}

export async function actIn(world: World, step: WorldStep): Promise<void> {
  if (step.kind === "card") await moveCard(world, step.card);
  else if (step.kind === "clock") patchClock(world.clock, step.clock);
  else if (step.kind === "service") await world.restart(step.service === "kill" ? "killed" : "clean");
  else if (step.kind === "authority") await actAtAuthority(world, step.authority);
  else if (step.kind === "vsdc") world.requireVsdc().setFaults(step.vsdc);
  else if (step.faults === "clear") world.faults.clear();
  else for (const fault of step.faults) world.faults.add(fault);
}

async function moveCard(world: World, action: CardAction): Promise<void> {
  if (typeof action === "object") {
    if ("swap" in action) await world.insert(action.swap);
    else await patchCard(world, action.patch);
  } else if (action === "insert") await world.insert();
  else world.reader[action]();
}

async function actAtAuthority({ audits }: World, action: AuthorityAction): Promise<void> {
  const acts = {
    audit: () => audits.audit(),
    "start-audit": () => audits.start(),
    "end-audit": () => audits.end(),
    disable: () => audits.directive("disable"),
    enable: () => audits.directive("enable"),
  };
  if (typeof action === "object" || !(action in acts)) return audits.act(action as AuthorityAct);
  const act = action as CardAtAuthority;
  const { kind: outcome } = await acts[act]();
  if (!isDone(outcome)) throw new Error(`${act}: ${OUTCOME_TEXTS[outcome]}`);
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
