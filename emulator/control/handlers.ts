/** What each endpoint of the control interface does; what arrives here has been validated by the endpoint's schemas. */
import { parseTime, toIso } from "../../src/fiscal/time.js";
import type { Fault } from "../faults/fault.js";
import type { MemoryRecording } from "../record/memory-recording.js";
import type { DirectiveAction } from "../tax-authority/audit.js";
import { EARLIEST, LATEST } from "../world/emulated-clock.js";
import type { Given } from "../world/given.js";
import type { World } from "../world/world.js";
import type { ControlCall, ControlHandler } from "./call.js";
import { type CardPatch, cardRecord, patchCard } from "./card-record.js";
import type { ControlEndpointName } from "./endpoints.js";
import { ControlError } from "./errors.js";
import { controlDocument } from "./openapi.js";

/** @param recording of everything that happens */
export function controlHandlers(
  world: World,
  recording: MemoryRecording,
): Readonly<Record<ControlEndpointName, ControlHandler>> {
  return {
    ...cardHandlers(world),
    ...faultHandlers(world),
    ...worldHandlers(world, recording),
    openapi: controlDocument,
  };
}

function cardHandlers(world: World) {
  /** The card as it stands after a step. */
  const after = (step: (call: ControlCall) => unknown) => async (call: ControlCall) => {
    await step(call);
    return cardRecord(world);
  };
  const insert = after(({ body }) => {
    const { name = world.cardName } = body as { name?: string };
    if (!world.cardNames.includes(name)) {
      throw new ControlError(400, `There is no card ${name}`, [`the cards are ${world.cardNames.join(", ")}`]);
    }
    return world.insert(name);
  });
  return {
    card: () => cardRecord(world),
    patchCard: after(({ body }) => patchCard(world, body as CardPatch)),
    insertCard: insert,
    swapCard: insert,
    removeCard: after(() => world.reader.remove()),
    resetCard: after(() => world.reader.reset()),
    auditCard: after(async ({ body }) => {
      const { part } = body as { part?: "start" | "end" };
      const audit = await (part === "start" ? world.startAudit() : part === "end" ? world.endAudit() : world.audit());
      if (audit.outcome === "accepted" || audit.outcome === "told") return;
      const details = "reason" in audit ? [audit.reason] : [];
      throw new ControlError(400, `The card was not audited: ${audit.outcome}`, details);
    }),
    directCard: after(async ({ body }) => {
      const { outcome } = await world.directive((body as { action: DirectiveAction }).action);
      if (outcome !== "told") throw new ControlError(400, `The card does not take the directive: ${outcome}`);
    }),
    unplugReader: after(() => world.reader.unplug()),
    plugReader: after(() => world.plug()),
  };
}

function faultHandlers(world: World) {
  return {
    faults: () => world.faults.list,
    addFault: ({ body }: ControlCall) => world.faults.add(body as Fault),
    clearFaults: () => world.faults.clear(),
    removeFault: ({ params }: ControlCall) => {
      if (!world.faults.remove(Number(params.id))) throw new ControlError(404, `There is no fault ${params.id}`);
    },
  };
}

function worldHandlers(world: World, recording: MemoryRecording) {
  const clock = () => ({ at: toIso(world.clock.now()), ticking: world.clock.state.ticking });
  return {
    clock,
    patchClock: ({ body }: ControlCall) => {
      const { at, advance = 0, ticking } = body as { at?: string; advance?: number; ticking?: boolean };
      const time = (at === undefined ? world.clock.now() : (parseTime(at) ?? 0)) + advance;
      if (time < EARLIEST || time > LATEST) {
        throw new ControlError(400, `The clock goes from ${toIso(EARLIEST)} to ${toIso(LATEST)}`);
      }
      if (at !== undefined || advance !== 0) world.clock.set(time);
      if (ticking === true) world.clock.tick();
      if (ticking === false) world.clock.freeze();
      return clock();
    },
    store: () => world.whenStanding(() => ({ ...world.stored, keptIn: world.keptIn ?? null })),
    restart: ({ body }: ControlCall) => world.restart((body as { how?: "clean" | "killed" }).how ?? "clean"),
    reset: ({ body }: ControlCall) => world.reset((body as { toFirst?: boolean }).toFirst),
    given: ({ body }: ControlCall) => world.load(body as Given),
    snapshots: () => world.snapshotNames,
    takeSnapshot: ({ params: { name = "" } }: ControlCall) => world.snapshot(name),
    restoreSnapshot: ({ params: { name = "" } }: ControlCall) => {
      if (!world.snapshotNames.includes(name)) throw new ControlError(404, `There is no snapshot ${name}`);
      return world.restore(name);
    },
    journal: ({ query: { since = "0", last = "" } }: ControlCall) =>
      world.journal.entries
        .filter(({ id }) => id > Number(since))
        .slice(last === "" ? 0 : -Number(last) || Number.MAX_SAFE_INTEGER)
        .map((entry) => ({ ...entry, at: toIso(entry.at) })),
    clearJournal: () => world.journal.clear(),
    // Loaded when somebody asks: compiling the schema of scenarios would hold every start up.
    scenarios: async () => (await import("../scenario/shipped.js")).shippedGivens(),
    recording: () => ({ name: recording.name, scenario: recording.scenario() }),
    newRecording: () => recording.begin(),
  };
}
