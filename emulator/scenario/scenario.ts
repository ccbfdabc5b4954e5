/** A scenario: `given` is the world; `steps` are the requests and the expected answers, or `expect` is what a POS must send. */

import type { Fault } from "../faults/fault.js";
import type { VsdcFaults } from "../vsdc/vsdc-faults.js";
import type { AuthorityAct } from "../world/authority-act.js";
import type { CardPatch } from "../world/card-types.js";
import type { ClockPatch } from "../world/clock-patch.js";
import type { Given } from "../world/given.js";
import type { Expectation } from "./expectation.js";

export interface RequestStep {
  readonly request: {
    /** Sent to the authority's online service, with the emulator's client certificate and PAC. */
    readonly online?: true;
    /** Default: POST. */
    readonly method?: string;
    /** Default: /api/v3/invoices. */
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    /** A valid sale with these fields replaced. */
    readonly invoice?: Readonly<Record<string, unknown>>;
    readonly json?: unknown;
    readonly text?: string;
    /** Hexadecimal. */
    readonly bytes?: string;
  };
  readonly answer?: {
    readonly status?: unknown;
    readonly headers?: Readonly<Record<string, unknown>>;
    /** Subset of the body, with matchers. */
    readonly json?: unknown;
    readonly text?: unknown;
    /** The connection breaks before the answer is complete. */
    readonly dropped?: boolean;
    /** Names of values that later steps use as ${name}, and their places in the body. */
    readonly capture?: Readonly<Record<string, string>>;
  };
}

export type CardAction =
  | "insert"
  | "remove"
  | "reset"
  | "unplug"
  | "plug"
  | { readonly swap: string }
  | { readonly patch: CardPatch };
export type ServiceAction = "restart" | "kill";
export type CardAtAuthority = "audit" | "start-audit" | "end-audit" | "disable" | "enable";
export type AuthorityAction = CardAtAuthority | AuthorityAct;

export interface Check {
  /** `total`, and each pair of types by its letters, such as NS. */
  readonly counters?: Readonly<Record<string, unknown>>;
  /** Decimal text. */
  readonly sum?: unknown;
  readonly pinTriesLeft?: unknown;
  /** required, verified, locked, or why there is no card. */
  readonly pin?: unknown;
  /** What the authority has for the card, and the files on the stick. */
  readonly authority?: Readonly<Record<string, unknown>>;
  readonly store?: { readonly complete?: unknown; readonly open?: unknown; readonly lost?: unknown };
}

export type Step = { readonly say?: string } & (
  | RequestStep
  | { readonly card: CardAction }
  | { readonly clock: ClockPatch }
  | { readonly service: ServiceAction }
  | { readonly authority: AuthorityAction }
  | { readonly faults: readonly Fault[] | "clear" }
  | { readonly vsdc: Partial<VsdcFaults> }
  | { readonly check: Check }
  | { readonly parallel: readonly Step[] }
);

/** A place in a file, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface Scenario {
  readonly file: string;
  readonly name: string;
  readonly about?: string;
  readonly tags: readonly string[];
  readonly given: Given;
  /** Empty if the scenario watches a POS. */
  readonly steps: readonly Step[];
  /** What a POS must send. A scenario has either this or steps. */
  readonly expect?: readonly Expectation[];
  /** Line of each step or expectation in the file. */
  readonly lines: readonly number[];
  /** Where a value is in the file, or the innermost existing place around it: `["given", "card"]`. */
  readonly placeOf?: (path: readonly (string | number)[]) => Place;
}
