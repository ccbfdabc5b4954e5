/** A scenario: `given` is the world, and `steps` are requests with answers, or `expect` what a POS must send. */

import type { ScenarioRecord } from "../../emulator/world/card-types.js";
import type { Given } from "../../emulator/world/given.js";
import type { StepKind as WorldKind, WorldStep } from "../../emulator/world/step-types.js";
import { STEP_KINDS as WORLD_KINDS } from "../../emulator/world/steps.js";
import type { ValuePath } from "../../src/base/wrong-value.js";
import type { RequestFilter } from "./request-types.js";

export interface RequestStep {
  readonly request: {
    readonly online?: true;
    readonly method?: string;
    readonly path?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly invoice?: Readonly<Record<string, unknown>>;
    readonly json?: unknown;
    readonly text?: string;
    readonly bytes?: string;
  };
  readonly answer?: {
    readonly status?: unknown;
    readonly headers?: Readonly<Record<string, unknown>>;
    readonly json?: unknown;
    readonly text?: unknown;
    readonly dropped?: boolean;
    readonly capture?: Readonly<Record<string, string>>;
  };
}

/** What a step expects of status and body. */
export type ExpectedAnswer = Pick<NonNullable<RequestStep["answer"]>, "status" | "text" | "json">;

export interface ScenarioCheck {
  readonly counters?: Readonly<Record<string, unknown>>;
  readonly sum?: unknown;
  readonly pinTriesLeft?: unknown;
  readonly pin?: unknown;
  readonly authority?: Readonly<Record<string, unknown>>;
  readonly store?: { readonly complete?: unknown; readonly open?: unknown; readonly lost?: unknown };
}

/** A step as a file has it: one of its fields says what it does. */
export type WrittenStep = { readonly say?: string } & (
  | RequestStep
  | WorldStep
  | { readonly check: ScenarioCheck }
  | { readonly parallel: readonly WrittenStep[] }
);

type ScenarioStepKind = WorldKind | "request" | "check" | "parallel";
const KINDS: readonly ScenarioStepKind[] = ["request", ...WORLD_KINDS, "check", "parallel"];
type StepOf<K extends ScenarioStepKind> = Extract<WrittenStep, { readonly [F in K]: unknown }> & { readonly kind: K };

export type Step =
  | { readonly [K in Exclude<ScenarioStepKind, "parallel">]: StepOf<K> }[Exclude<ScenarioStepKind, "parallel">]
  | { readonly say?: string; readonly kind: "parallel"; readonly parallel: readonly Step[] };

export function loadedStep(step: WrittenStep): Step {
  const kind = KINDS.find((one) => one in step);
  return ("parallel" in step ? { ...step, kind, parallel: step.parallel.map(loadedStep) } : { ...step, kind }) as Step;
}

/** Expects that the POS sends a request, or that it does not. Exactly one of `sent`, `signed` and `notSent` is set. */
export interface RequestExpectation {
  readonly say?: string;
  readonly sent?: RequestFilter;
  readonly signed?: RequestFilter;
  readonly notSent?: RequestFilter;
  readonly times?: number;
  readonly within?: string;
  readonly before?: string;
  readonly after?: string;
  readonly capture?: Readonly<Record<string, string>>;
}

/** Expects several requests in the order of the list. Other requests may come in between. */
export interface OrderExpectation {
  readonly say?: string;
  readonly inOrder: readonly OrderEntry[];
}

/** A step is played as soon as the entries before it are met. */
export type OrderEntry = RequestExpectation | (WorldStep & { readonly say?: string });

export const isWorldStep = (entry: OrderEntry): entry is WorldStep & { readonly say?: string } =>
  WORLD_KINDS.some((kind) => kind in entry);

export function worldStepOf({ say: _, kind: __, ...step }: WorldStep & { say?: string; kind?: string }): WorldStep {
  return step as WorldStep;
}

export type Expectation = RequestExpectation | OrderExpectation;

/** A place in a file. Line and column count from 1. */
export interface FilePlace {
  readonly line: number;
  readonly column: number;
}

export interface Scenario {
  readonly file: string;
  readonly name: string;
  readonly about?: string;
  readonly tags: readonly string[];
  /** What a person does with the POS in the situation. */
  readonly todo?: string;
  readonly serbian?: NonNullable<ScenarioRecord["serbian"]>;
  /** Ids of the rows of `rehearse` that the situation judges. */
  readonly rows: readonly string[];
  readonly given: Given;
  /** Steps to play. The list is empty if the scenario watches a POS. */
  readonly steps: readonly Step[];
  /** What a POS must send. A scenario has either `expect` or `steps`. */
  readonly expect?: readonly Expectation[];
  /** Line of each step or expectation in the file. */
  readonly lines: readonly number[];
  /**
   * Finds a value in the file by its path, such as `["given", "card"]`. If the file does not have the value, it returns
   * the innermost existing place around the value.
   */
  readonly placeOf?: (path: ValuePath) => FilePlace;
}
