/** What one can do to a world. This file has only types, because the types of the test kit need it. */
import type { Fault } from "../faults/fault.js";
import type { AuthorityFaults, VsdcFaults } from "../tax-authority/authority-faults.js";
import type { CardPatch, ClockPatch, QueuedCommand } from "./card-types.js";

/**
 * The content of each step, by kind and name. A step without content is only its name: `{ card: "remove" }`. The content
 * of `set` is the step: `{ clock: { advance: "1h" } }`. Every other content has its name: `{ card: { swap: "other" } }`.
 */
export interface StepContents {
  readonly card: Words<"insert" | "remove" | "reset" | "unplug" | "plug"> & {
    readonly swap: string;
    readonly patch: CardPatch;
  };
  readonly clock: { readonly set: ClockPatch };
  readonly service: Words<"restart" | "kill">;
  readonly authority: Words<
    | ("audit" | "start-audit" | "end-audit" | "disable" | "enable" | "talk" | "audit-now" | "expire-tokens")
    | ("stick-export" | "stick-carry" | "stick-import" | "confirm" | "new-labels")
  > & {
    readonly command: QueuedCommand;
    /** Environment that cards get from now on: a name in fixtures/environments, or the content of such a file. */
    readonly configure: string | object;
    readonly faults: Partial<AuthorityFaults> | "clear";
  };
  readonly faults: Words<"clear"> & { readonly set: readonly Fault[] };
  readonly vsdc: { readonly set: Partial<VsdcFaults> };
}

type Words<N extends string> = { readonly [W in N]: undefined };

export type StepKind = keyof StepContents;

export type ActionOf<K extends StepKind> = {
  [N in keyof StepContents[K]]: StepContents[K][N] extends undefined
    ? N
    : N extends "set"
      ? StepContents[K][N]
      : { readonly [M in N]: StepContents[K][N] };
}[keyof StepContents[K]];

/** Something that one does to a world, as a step of a scenario file. */
export type WorldStep = { [K in StepKind]: { readonly [M in K]: ActionOf<K> } }[StepKind];
