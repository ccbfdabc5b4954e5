/** Where a scenario is played: a world of our own, or a service that runs somewhere. */
import type { Fault } from "../faults/fault.js";
import type { Given } from "../world/given.js";
import type { AuthorityAction, CardAction, ClockAction, ServiceAction } from "./scenario.js";

/** What this stage cannot do; the step is not applicable, never passed. */
export class NotApplicable extends Error {
  override readonly name = "NotApplicable";
}

/** How card and store stand. */
export interface Standing {
  readonly totalCounter?: number;
  readonly counters?: Readonly<Record<string, number>>;
  /** Decimal text. */
  readonly sum?: string;
  readonly pinTriesLeft?: number;
  readonly pin: string;
  readonly store?: { readonly complete: number; readonly open: number; readonly lost: number };
}

export interface Stage {
  readonly baseUrl: string;
  /** Whether the service is not known to be tillseal: its answers may have fields of their own. */
  readonly foreign: boolean;
  /** The state of the card's life, for coverage. */
  lifeState(): string | undefined;
  card(action: CardAction): Promise<void>;
  clock(action: ClockAction): Promise<void>;
  service(action: ServiceAction): Promise<void>;
  authority(action: AuthorityAction): Promise<void>;
  faults(faults: readonly Fault[] | "clear"): Promise<void>;
  standing(): Promise<Standing>;
  close(): Promise<void>;
}

/** @throws NotApplicable where this stage cannot be what `given` asks for */
export type OpenStage = (given: Given) => Promise<Stage>;
