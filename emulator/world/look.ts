/** The records that show a world. */
import { toIso } from "../../src/fiscal/time.js";
import type { SetFault } from "../faults/fault.js";
import { cardRecord } from "./card-bench.js";
import type { ClockRecord, StoreRecord } from "./card-types.js";
import type { Target } from "./do-step.js";

export const LOOKS = {
  card: cardRecord,
  // The store cannot be read while the service stops or starts.
  store: (world: Target) =>
    world.whenRunning((): StoreRecord => ({ ...world.service.stored, keptIn: world.options.dataDir ?? null })),
  /** Both are null if the world has no authority. */
  authority: ({ taxAuthority, audits }: Target) => ({
    url: taxAuthority?.url ?? null,
    standing: audits.status() ?? null,
  }),
  clock: ({ clock }: Target): ClockRecord => ({ at: toIso(clock.now()), ticking: clock.state.ticking }),
  faults: ({ faults }: Target): readonly SetFault[] => faults.list,
  vsdc: (world: Target) => {
    const vsdc = world.requireVsdc();
    return { url: vsdc.url, ...vsdc.accessFor(world.uid), faults: vsdc.faults };
  },
};

export type LookName = keyof typeof LOOKS;

export type Looks = { readonly [N in LookName]: Awaited<ReturnType<(typeof LOOKS)[N]>> };

/** What {@link LOOKS} shows under a name: a record, or a promise of one. */
export type Look<N extends LookName> = N extends "store" ? Promise<Looks[N]> : Looks[N];
