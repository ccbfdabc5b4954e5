/** Records calls of the control interface as steps of a scenario. */

import type { ClockPatch } from "../../emulator/faults/emulated-clock.js";
import type { Fault } from "../../emulator/faults/fault.js";
import type { VsdcFaults } from "../../emulator/tax-authority/authority-faults.js";
import type { ControlCall } from "../../emulator/tax-authority/endpoint/endpoint-router.js";
import type { CardPatch } from "../../emulator/world/card-types.js";
import type { World } from "../../emulator/world/world.js";
import { SITUATIONS } from "../rehearse/situations.js";
import type { AuthorityAction, WrittenStep } from "../scenario/scenario.js";
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

const AUDIT_PARTS: Readonly<Record<string, AuthorityAction>> = { start: "start-audit", end: "end-audit" };

const STEPS: { readonly [N in ControlEndpointName]?: (body: unknown, world: World) => WrittenStep[] } = {
  insertCard: () => [{ card: "insert" }],
  swapCard: (body) => [{ card: { swap: (body as { name: string }).name } }],
  removeCard: () => [{ card: "remove" }],
  resetCard: () => [{ card: "reset" }],
  patchCard: (body) => [{ card: { patch: body as CardPatch } }],
  unplugReader: () => [{ card: "unplug" }],
  plugReader: () => [{ card: "plug" }],
  auditCard: (body) => [{ authority: AUDIT_PARTS[(body as { part?: string }).part ?? ""] ?? "audit" }],
  directCard: (body) => [{ authority: (body as { action: AuthorityAction }).action }],
  actAuthority: (body) => [{ authority: (body as { act: AuthorityAction }).act }],
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
