/** Records calls of the control interface as steps of a scenario. */

import type { Fault } from "../../emulator/faults/fault.js";
import type { VsdcFaults } from "../../emulator/tax-authority/authority-faults.js";
import type { ControlCall } from "../../emulator/tax-authority/endpoint/endpoint-router.js";
import type { CardPatch, ClockPatch } from "../../emulator/world/card-types.js";
import type { ActionOf } from "../../emulator/world/step-types.js";
import type { World } from "../../emulator/world/world.js";
import { SITUATIONS } from "../rehearse/situations.js";
import type { WrittenStep } from "../scenario/scenario.js";
import type { ControlEndpointName } from "./endpoints.js";
import type { Recording } from "./recording.js";

/** Calls that replace the world. The recording starts again then, because a scenario has only one `given`. */
export const BEGINNINGS: readonly ControlEndpointName[] = ["reset", "given", "restoreSnapshot"];

export function recordControlCall(
  recording: Pick<Recording, "steps" | "begin">,
  world: World,
  name: ControlEndpointName,
  call: ControlCall,
): void {
  if (BEGINNINGS.includes(name)) recording.begin();
  else recording.steps(STEPS[name]?.(call.body, world) ?? []);
}

const AUDIT_PARTS: Readonly<Record<string, ActionOf<"authority">>> = { start: "start-audit", end: "end-audit" };

const STEPS: { readonly [N in ControlEndpointName]?: (body: unknown, world: World) => WrittenStep[] } = {
  insertCard: () => [{ card: "insert" }],
  swapCard: (body) => [{ card: { swap: (body as { name: string }).name } }],
  removeCard: () => [{ card: "remove" }],
  resetCard: () => [{ card: "reset" }],
  patchCard: (body) => [{ card: { patch: body as CardPatch } }],
  unplugReader: () => [{ card: "unplug" }],
  plugReader: () => [{ card: "plug" }],
  auditCard: (body) => [{ authority: AUDIT_PARTS[(body as { part?: string }).part ?? ""] ?? "audit" }],
  directCard: (body) => [{ authority: (body as { action: ActionOf<"authority"> }).action }],
  actAuthority: (body) => [{ authority: (body as { act: ActionOf<"authority"> }).act }],
  patchVsdc: (body) => [{ vsdc: body as Partial<VsdcFaults> }],
  addFault: (body) => [{ faults: [body as Fault] }],
  clearFaults: () => [{ faults: "clear" }],
  removeFault: (_body, world) => [
    { faults: "clear" },
    ...(world.faults.list.length > 0 ? [{ faults: faultsOf(world) }] : []),
  ],
  patchClock: (body) => [{ clock: body as ClockPatch }],
  putSituation: (body) =>
    SITUATIONS.filter(({ id }) => id === (body as { id: string }).id).flatMap(({ steps }) => steps),
  restart: () => [{ service: "restart" }],
  kill: () => [{ service: "kill" }],
};

function faultsOf(world: World): Fault[] {
  return world.faults.list.map(({ id: _, seen: __, struck: ___, ...fault }) => fault);
}
