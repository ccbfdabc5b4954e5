/** The records that show a world. */
import { toIso } from "../../src/fiscal/time.js";
import type { SetFault } from "../faults/fault.js";
import type { VsdcFaults } from "../tax-authority/authority-faults.js";
import type { OnlineAccess } from "../tax-authority/vsdc/online-service.js";
import type { AuthorityStatus } from "./authority-actions.js";
import { cardRecord } from "./card-bench.js";
import type { CardRecord, ClockRecord, StoreRecord } from "./card-types.js";
import type { Target } from "./do-step.js";

export interface Looks {
  readonly card: CardRecord;
  readonly store: StoreRecord;
  /** `url` and `standing` are null if the world has no authority. */
  readonly authority: { readonly url: string | null; readonly standing: AuthorityStatus | null };
  readonly clock: ClockRecord;
  readonly faults: readonly SetFault[];
  readonly vsdc: OnlineAccess & { readonly url: string; readonly faults: VsdcFaults };
}

export type LookName = keyof Looks;

type Lookers = { readonly [N in LookName]: (world: Target) => Looks[N] | Promise<Looks[N]> };

export const LOOKS = {
  card: cardRecord,
  // The store cannot be read while the service stops or starts.
  store: (world: Target) =>
    world.whenRunning((): Looks["store"] => ({ ...world.service.stored, keptIn: world.options.dataDir ?? null })),
  authority: ({ taxAuthority, audits }: Target) => ({
    url: taxAuthority?.url ?? null,
    standing: audits.status() ?? null,
  }),
  clock: ({ clock }: Target) => ({ at: toIso(clock.now()), ticking: clock.state.ticking }),
  faults: ({ faults }: Target) => faults.list,
  vsdc: (world: Target) => {
    const vsdc = world.requireVsdc();
    return { url: vsdc.url, ...vsdc.accessFor(world.uid), faults: vsdc.faults };
  },
} as const satisfies Lookers;

/** What {@link LOOKS} shows under a name: a record, or a promise of one. */
export type Look<N extends LookName> = N extends "store" ? Promise<Looks[N]> : Looks[N];
