/** The handlers of the control interface's endpoints. The endpoint's schemas have validated the input of a handler. */

import { type ClockPatch, patchClock } from "../../emulator/faults/emulated-clock.js";
import { type Fault, worksOnPublishedCard } from "../../emulator/faults/fault.js";
import type { FaultList, Timed } from "../../emulator/faults/fault-list.js";
import type { DirectiveAction } from "../../emulator/pki/audit.js";
import type { VsdcFaults } from "../../emulator/tax-authority/authority-faults.js";
import type { ControlCall, ControlHandler } from "../../emulator/tax-authority/endpoint/endpoint-router.js";
import { ControlError } from "../../emulator/tax-authority/endpoint/errors.js";
import { type AuthorityAct, isDone, OUTCOME_TEXTS } from "../../emulator/world/authority-actions.js";
import { type CardBench, cardRecord, patchCard } from "../../emulator/world/card-bench.js";
import type {
  CardPatch,
  ClockRecord,
  RecordingRecord,
  ScenarioRecord,
  StoreRecord,
} from "../../emulator/world/card-types.js";
import type { Given } from "../../emulator/world/given.js";
import { portableGiven } from "../../emulator/world/given-now.js";
import { loadSnapshot, writeSnapshotFile } from "../../emulator/world/snapshot-file.js";
import type { World } from "../../emulator/world/world.js";
import { toIso } from "../../src/fiscal/time.js";
import { partOf, type TrafficLog } from "../../src/http/traffic/traffic-log.js";
import { CARD_OPERATION_NAMES } from "../../src/secure-element/apdu/instructions.js";
import type { Rehearsal } from "../rehearse/rehearsal.js";
import { SITUATIONS } from "../rehearse/situations.js";
import { findRequests, NotSentError, newestThatFit, waitForRequest } from "../scenario/find-requests.js";
import { PatternError } from "../scenario/pattern.js";
import type { RequestFilter, SentRequest, Wait } from "../scenario/request-types.js";
import type { RehearsalRecord } from "../scenario/row.js";
import { CONTROL_ENDPOINTS, type ControlEndpointName } from "./endpoints.js";
import type { MemoryRecording } from "./memory-recording.js";
import { controlDocument } from "./openapi.js";

const HOW_TO_HAVE_VSDC = "start tillseal serve with --vsdc, or put `vsdc: {}` into `given`";

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
export function publishedHandlers(bench: CardBench): ControlHandlers {
  const handlers: ControlHandlers = {
    ...benchHandlers(bench),
    addFault: ({ body }) => bench.faults.add(faultOfCard(body as Fault)),
    openapi: () => controlDocument(CONTROL_ENDPOINTS.filter(({ name }) => name in handlers)),
  };
  return handlers;
}

/** Returns the fault if it concerns the card. @throws ControlError if the fault could never strike */
function faultOfCard(fault: Fault): Fault {
  if (worksOnPublishedCard(fault)) return fault;
  const advice = `with a published card the operations are ${CARD_OPERATION_NAMES.join(", ")}, and the clock does not jump`;
  throw new ControlError(400, `${fault.kind} on ${fault.on} does not concern the card`, [advice]);
}

function benchHandlers(bench: CardBench) {
  return {
    ...cardHandlers(bench),
    ...faultHandlers(() => bench.faults),
    reset: ({ body }: ControlCall) => bench.reset((body as { toFirst?: boolean }).toFirst),
    given: ({ body }: ControlCall) => bench.load(body as Given),
  };
}

function cardHandlers(bench: CardBench) {
  /** Makes a handler that runs a step and answers with the card's state after the step. */
  const after = (step: (call: ControlCall) => unknown) => async (call: ControlCall) => {
    await step(call);
    return cardRecord(bench);
  };
  const swap = after(({ body }) => {
    const { name } = body as { name: string };
    if (!bench.cards.names.includes(name)) {
      throw new ControlError(400, `There is no card ${name}`, [`the cards are ${bench.cards.names.join(", ")}`]);
    }
    return bench.insert(name);
  });
  return {
    card: () => cardRecord(bench),
    patchCard: after(({ body }) => patchCard(bench, body as CardPatch)),
    insertCard: after(() => bench.insert()),
    swapCard: swap,
    removeCard: after(() => bench.reader.remove()),
    resetCard: after(() => bench.reader.reset()),
    auditCard: after(async ({ body }) => {
      const { part } = body as { part?: "start" | "end" };
      const audit = await (part === "start"
        ? bench.audits.start()
        : part === "end"
          ? bench.audits.end()
          : bench.audits.audit());
      if (isDone(audit.kind)) return;
      const details = "reason" in audit ? [audit.reason] : [];
      throw new ControlError(400, `The card was not audited: ${OUTCOME_TEXTS[audit.kind]}`, details);
    }),
    directCard: after(async ({ body }) => {
      const { kind: outcome } = await bench.audits.directive((body as { action: DirectiveAction }).action);
      if (!isDone(outcome))
        throw new ControlError(400, `The card did not accept the directive: ${OUTCOME_TEXTS[outcome]}`);
    }),
    unplugReader: after(() => bench.reader.unplug()),
    plugReader: after(() => bench.plug()),
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
  const online = () => {
    const { vsdc } = world;
    if (!vsdc) throw new ControlError(404, "This world has no online service", [HOW_TO_HAVE_VSDC]);
    return vsdc;
  };
  const record = () => {
    const { url, faults } = online();
    return { url, ...world.onlineAccess(), faults };
  };
  return {
    vsdc: record,
    patchVsdc: ({ body }: ControlCall) => {
      online().setFaults(body as Partial<VsdcFaults>);
      return record();
    },
    vsdcPfx: () => online().pfxFor(world.uid),
    vsdcPem: () => {
      const { certificate, key } = record();
      return Buffer.from(certificate + key);
    },
    vsdcCa: () => Buffer.from(record().ca),
  };
}

function worldHandlers(world: World, recording: MemoryRecording) {
  const clock = (): ClockRecord => ({ at: toIso(world.clock.now()), ticking: world.clock.state.ticking });
  return {
    clock,
    patchClock: ({ body }: ControlCall) => {
      patchClock(world.clock, body as ClockPatch);
      return clock();
    },
    authority: () => ({ url: world.taxAuthority?.url ?? null, standing: world.audits.status() ?? null }),
    actAuthority: ({ body }: ControlCall) => world.audits.act((body as { act: AuthorityAct }).act),
    store: () =>
      world.whenRunning((): StoreRecord => ({ ...world.service.stored, keptIn: world.options.dataDir ?? null })),
    restart: () => world.restart("clean"),
    kill: () => world.restart("killed"),
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
