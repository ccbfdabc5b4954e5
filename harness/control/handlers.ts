/** The handlers of the control interface's endpoints. The endpoint's schemas have validated the input of a handler. */

import type { Fault } from "../../emulator/faults/fault.js";
import type { FaultList, Timed } from "../../emulator/faults/fault-list.js";
import type { DirectiveAction } from "../../emulator/pki/audit.js";
import type { VsdcFaults } from "../../emulator/tax-authority/authority-faults.js";
import type { ControlCall, ControlHandler } from "../../emulator/tax-authority/endpoint/endpoint-router.js";
import { ControlError } from "../../emulator/tax-authority/endpoint/errors.js";
import type { CardPatch, ClockPatch, RecordingRecord, ScenarioRecord } from "../../emulator/world/card-types.js";
import type { Controllable } from "../../emulator/world/do-step.js";
import type { Given } from "../../emulator/world/given.js";
import { portableGiven } from "../../emulator/world/given-now.js";
import { loadSnapshot, writeSnapshotFile } from "../../emulator/world/snapshot-file.js";
import type { ActionOf } from "../../emulator/world/step-types.js";
import type { World } from "../../emulator/world/world.js";
import { toIso } from "../../src/fiscal/time.js";
import { partOf, type TrafficLog } from "../../src/http/traffic/traffic-log.js";
import type { Rehearsal } from "../rehearse/rehearsal.js";
import { SITUATIONS } from "../rehearse/situations.js";
import { findRequests, NotSentError, newestThatFit, waitForRequest } from "../scenario/find-requests.js";
import { PatternError } from "../scenario/pattern.js";
import type { RequestFilter, SentRequest, Wait } from "../scenario/request-types.js";
import type { RehearsalRecord } from "../scenario/row.js";
import { CONTROL_ENDPOINTS, type ControlEndpointName } from "./endpoints.js";
import type { MemoryRecording } from "./memory-recording.js";
import { controlDocument } from "./openapi.js";

export type ControlHandlers = { readonly [N in ControlEndpointName]?: ControlHandler };

/** The recording and the rehearsal of a world. */
interface Followed {
  readonly recording: MemoryRecording;
  readonly rehearsal: Rehearsal;
}

export function controlHandlers(world: World, { recording, rehearsal }: Followed): ControlHandlers {
  const handlers: ControlHandlers = {
    ...benchHandlers(world),
    ...worldHandlers(world, recording),
    ...vsdcHandlers(world),
    ...rehearsalHandlers(world, rehearsal),
    openapi: () => controlDocument(CONTROL_ENDPOINTS.filter(({ name }) => name in handlers)),
  };
  return handlers;
}

function rehearsalHandlers(world: World, rehearsal: Rehearsal) {
  return {
    rehearsal: (): RehearsalRecord => ({ requests: rehearsal.requests.length, rows: rehearsal.rows }),
    newRehearsal: () => rehearsal.begin(),
    putSituation: async ({ body }: ControlCall) => {
      const situation = SITUATIONS.find(({ id }) => id === (body as { id: string }).id);
      // We load the module on demand, because it loads the player of scenarios, which would slow down every start.
      const { putSituation } = await import("../rehearse/put-situation.js");
      if (situation) await putSituation(world, situation);
    },
  };
}

/** Handlers for published cards. Clock, store and requests belong to another process. */
export function publishedHandlers(bench: Controllable): ControlHandlers {
  const handlers: ControlHandlers = {
    ...benchHandlers(bench),
    openapi: () => controlDocument(CONTROL_ENDPOINTS.filter(({ name }) => name in handlers)),
  };
  return handlers;
}

function benchHandlers(bench: Controllable) {
  return {
    ...cardHandlers(bench),
    ...faultHandlers(() => bench.faults),
    addFault: ({ body }: ControlCall) => {
      bench.do({ faults: [body as Fault] });
      return bench.faults.list.at(-1);
    },
    reset: ({ body }: ControlCall) => bench.reset((body as { toFirst?: boolean }).toFirst),
    given: ({ body }: ControlCall) => bench.load(body as Given),
  };
}

const AUDITS = { start: "start-audit", end: "end-audit" } as const;

function cardHandlers(bench: Controllable) {
  return {
    card: () => bench.look("card"),
    patchCard: ({ body }: ControlCall) => bench.do({ card: { patch: body as CardPatch } }),
    insertCard: () => bench.do({ card: "insert" }),
    swapCard: ({ body }: ControlCall) => bench.do({ card: { swap: (body as { name: string }).name } }),
    removeCard: () => bench.do({ card: "remove" }),
    resetCard: () => bench.do({ card: "reset" }),
    auditCard: ({ body }: ControlCall) => {
      const { part } = body as { part?: "start" | "end" };
      return bench.do({ authority: part === undefined ? "audit" : AUDITS[part] });
    },
    directCard: ({ body }: ControlCall) => bench.do({ authority: (body as { action: DirectiveAction }).action }),
    unplugReader: () => bench.do({ card: "unplug" }),
    plugReader: () => bench.do({ card: "plug" }),
  };
}

/** @param faults returns the current list, because a reset replaces it */
export function faultHandlers<F extends Timed>(
  faults: () => Pick<FaultList<F, never>, "list" | "add" | "clear" | "remove">,
) {
  return {
    faults: () => faults().list,
    addFault: ({ body }: ControlCall) => faults().add(body as F),
    clearFaults: () => faults().clear(),
    removeFault: ({ params }: ControlCall) => {
      if (!faults().remove(Number(params.id))) throw new ControlError(404, `There is no fault ${params.id}`);
    },
  };
}

function vsdcHandlers(world: World) {
  const record = () => world.look("vsdc");
  return {
    vsdc: record,
    patchVsdc: ({ body }: ControlCall) => world.do({ vsdc: body as Partial<VsdcFaults> }),
    vsdcPfx: () => world.requireVsdc().pfxFor(world.uid),
    vsdcPem: () => {
      const { certificate, key } = record();
      return Buffer.from(certificate + key);
    },
    vsdcCa: () => Buffer.from(record().ca),
  };
}

function worldHandlers(world: World, recording: MemoryRecording) {
  return {
    clock: () => world.look("clock"),
    patchClock: ({ body }: ControlCall) => world.do({ clock: body as ClockPatch }),
    authority: () => world.look("authority"),
    actAuthority: ({ body }: ControlCall) => world.do({ authority: (body as { act: ActionOf<"authority"> }).act }),
    store: () => world.look("store"),
    restart: () => world.do({ service: "restart" }),
    kill: () => world.do({ service: "kill" }),
    snapshots: () => world.snapshots.names,
    takeSnapshot: ({ params: { name = "" } }: ControlCall) => world.snapshots.take(name),
    restoreSnapshot: ({ params: { name = "" } }: ControlCall) => world.snapshots.restore(name),
    saveSnapshot: ({ params: { name = "" } }: ControlCall) => {
      const snapshot = world.snapshots.get(name);
      return writeSnapshotFile(snapshot, portableGiven(snapshot.given));
    },
    loadSnapshot: async ({ params: { name = "" }, body }: ControlCall) => {
      world.snapshots.keep(name, await loadSnapshot(body as Buffer));
    },
    traffic: ({ query }: ControlCall) =>
      world.traffic.part(partOf(query)).map((entry) => ({ ...entry, at: toIso(entry.at) })),
    findRequests: ({ body }: ControlCall) => foundRequests(world.traffic, body as FindRequests),
    clearTraffic: () => world.traffic.clear(),
    // We load the module on demand, because it compiles the schema of scenarios, which would slow down every start.
    scenarios: async (): Promise<readonly ScenarioRecord[]> => (await import("../scenario/shipped.js")).shippedGivens(),
    recording: async (): Promise<RecordingRecord> => ({ name: recording.name, scenario: await recording.scenario() }),
    newRecording: () => recording.begin(),
  };
}

interface FindRequests extends Wait {
  readonly where?: RequestFilter;
}

/**
 * Finds requests, or waits for the n-th of them first.
 * @throws ControlError 404 if the n-th request did not come in time, 400 if the requested wait is too long or a pattern
 * is wrong
 */
async function foundRequests(
  log: TrafficLog,
  { where = {}, nth, within }: FindRequests,
): Promise<{ count: number; requests: readonly SentRequest[] }> {
  try {
    if (nth !== undefined || within !== undefined) {
      await waitForRequest(log, where, { ...(nth ? { nth } : {}), ...(within ? { within } : {}) });
    }
    const all = findRequests(log, where);
    return { count: all.length, requests: newestThatFit(all, (request) => JSON.stringify(request).length) };
  } catch (error) {
    if (error instanceof NotSentError) throw new ControlError(404, error.message, error.came);
    if (error instanceof RangeError || error instanceof PatternError) throw new ControlError(400, error.message);
    throw error;
  }
}
