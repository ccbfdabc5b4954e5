/** The handlers of the control interface's endpoints. The endpoint's schemas have validated the input of a handler. */

import type { RecordingRecord, ScenarioRecord } from "../../emulator/world/card-types.js";
import type { Controllable } from "../../emulator/world/do-step.js";
import { type Given, withBase } from "../../emulator/world/given.js";
import { portableGiven } from "../../emulator/world/given-now.js";
import { loadSnapshot, writeSnapshotFile } from "../../emulator/world/snapshot-file.js";
import type { WorldStep } from "../../emulator/world/step-types.js";
import { stepSchema } from "../../emulator/world/steps.js";
import type { World } from "../../emulator/world/world.js";
import { ConfigError } from "../../src/config/config-error.js";
import type { TrafficRecord } from "../../src/console/records/traffic.js";
import { toIso } from "../../src/fiscal/time.js";
import { CallError } from "../../src/http/call-errors.js";
import type { CallHandler, EndpointCall } from "../../src/http/endpoint-router.js";
import { partOf, type TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { compileSchema } from "../../src/schema/validator.js";
import type { Rehearsal } from "../rehearse/rehearsal.js";
import { findRequests, NotSentError, newestThatFit, waitForRequest } from "../scenario/find-requests.js";
import type { RequestFilter, Wait } from "../scenario/request-types.js";
import type { RehearsalRecord } from "../scenario/row.js";
import { isWorldStep, type OrderEntry, worldStepOf } from "../scenario/scenario.js";
import type { Situations } from "../scenario/situations.js";
import { CONTROL_ENDPOINTS, type ControlEndpointName, PUBLISHED_ENDPOINTS } from "./endpoints.js";
import { MemoryRecording } from "./memory-recording.js";
import { controlDocument } from "./openapi.js";

export type ControlHandlers = { readonly [N in ControlEndpointName]?: CallHandler };

export function controlHandlers(world: World, rehearsal: Rehearsal, situations: Situations): ControlHandlers {
  return {
    ...sharedHandlers(world),
    ...worldHandlers(world, rehearsal),
    ...rehearsalHandlers(rehearsal, situations),
    openapi: () => controlDocument(CONTROL_ENDPOINTS),
  };
}

export function publishedHandlers(cards: Controllable): ControlHandlers {
  return { ...sharedHandlers(cards), openapi: () => controlDocument(PUBLISHED_ENDPOINTS) };
}

function sharedHandlers(controlled: Controllable) {
  return {
    do: ({ body }: EndpointCall) => controlled.do(body as WorldStep),
    card: () => controlled.look("card"),
    faults: () => controlled.look("faults"),
    removeFault: ({ params: { id } }: EndpointCall) => {
      if (!controlled.removeFault(Number(id))) throw new CallError(404, `There is no fault ${id}`);
    },
    reset: ({ body }: EndpointCall) =>
      controlled.begin((body as { toFirst?: boolean }).toFirst ? controlled.first : controlled.given),
    given: ({ body }: EndpointCall) =>
      controlled.begin(withBase(controlled.base, body as Given), { keepsTraffic: true }).catch(refuseGiven),
  };
}

/** Only here a path leads from the body: another ConfigError may be about a file or about a part of the body. */
function refuseGiven(error: unknown): never {
  throw error instanceof ConfigError ? new CallError(400, error.message, [], { path: error.path }) : error;
}

const isStep = compileSchema<WorldStep>(stepSchema());

function rehearsalHandlers(rehearsal: Rehearsal, situations: Situations) {
  return {
    rehearsal: ({ query }: EndpointCall): RehearsalRecord => rehearsal.since(Number(query.since ?? 0)),
    newRehearsal: () => rehearsal.begin(),
    putSituation: async ({ body }: EndpointCall) => {
      const { name = "", inOrder } = body as { readonly name?: string; readonly inOrder?: readonly OrderEntry[] };
      if (inOrder?.some((entry) => isWorldStep(entry) && !isStep(worldStepOf(entry))))
        throw new CallError(400, "inOrder has a step that is none");
      const { drivenSituation } = await import("../scenario/shipped.js");
      await situations.begin(inOrder ?? drivenSituation(name).inOrder ?? []);
    },
  };
}

function worldHandlers(world: World, rehearsal: Rehearsal) {
  const recording = new MemoryRecording(world);
  return {
    clock: () => world.look("clock"),
    authority: () => world.look("authority"),
    store: () => world.look("store"),
    vsdc: () => world.look("vsdc"),
    vsdcPfx: () => world.requireVsdc().pfxFor(world.uid),
    vsdcPem: () => {
      const { certificate, key } = world.look("vsdc");
      return Buffer.from(certificate + key);
    },
    vsdcCa: () => Buffer.from(world.look("vsdc").ca),
    snapshots: () => world.snapshots.names,
    takeSnapshot: ({ params: { name = "" } }: EndpointCall) => world.snapshots.take(name),
    restoreSnapshot: ({ params: { name = "" } }: EndpointCall) => world.snapshots.restore(name),
    saveSnapshot: ({ params: { name = "" } }: EndpointCall) => {
      const snapshot = world.snapshots.get(name);
      return writeSnapshotFile(snapshot, portableGiven(snapshot.given));
    },
    loadSnapshot: async ({ params: { name = "" }, body }: EndpointCall) => {
      world.snapshots.keep(name, await loadSnapshot(body as Buffer));
    },
    traffic: ({ query }: EndpointCall) =>
      world.traffic.part(partOf(query)).map((entry): TrafficRecord => {
        const notes = rehearsal.notesOf(entry.id);
        return { ...entry, at: toIso(entry.at), ...(notes.length > 0 && { notes }) };
      }),
    findRequests: ({ body }: EndpointCall) => foundRequests(world.traffic, body as FindRequests),
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
 * @throws CallError 404 if the n-th request did not come in time, 400 if the requested wait is too long or a pattern
 * is wrong
 */
async function foundRequests(log: TrafficLog, { where = {}, ...wait }: FindRequests) {
  try {
    if (wait.nth !== undefined || wait.within !== undefined) await waitForRequest(log, where, wait);
    const all = findRequests(log, where);
    return { count: all.length, requests: newestThatFit(all, (request) => JSON.stringify(request).length) };
  } catch (error) {
    if (error instanceof NotSentError) throw new CallError(404, error.message, error.came);
    if (error instanceof RangeError) throw new CallError(400, error.message);
    throw error;
  }
}
