/** What each row of the table in steps.ts does. */
import { durationOf } from "../../src/base/duration.js";
import { parseTime, toIso } from "../../src/fiscal/time.js";
import { CallError } from "../../src/http/call-errors.js";
import type { BytesOutcome, EndAuditOutcome } from "../../src/secure-element/secure-element.js";
import { EARLIEST, type EmulatedClock, LATEST } from "../faults/emulated-clock.js";
import { type CardBench, patchCard } from "./card-bench.js";
import type { CardPatch, ClockPatch, QueuedCommand } from "./card-types.js";
import type { Given } from "./given.js";
import type { LookName, Looks } from "./look.js";
import type { StepContents, StepKind, WorldStep } from "./step-types.js";
import { STEP_KINDS, STEPS } from "./steps.js";
import type { World } from "./world.js";

/** A world as the rows of the tables need it: `do` and `look` come from the rows. */
export type Target = Omit<World, "do" | "look">;

export interface Controllable extends CardBench {
  do(step: WorldStep): unknown;
  look(what: "card" | "faults"): unknown;
  removeFault(id: number): boolean;
  /** The `given` at the start, the current one, and what supplies the fields that another one leaves out. */
  readonly first: Given;
  readonly given: Given;
  readonly base: Given;
  begin(given: Given, options?: { readonly keepsTraffic?: boolean }): Promise<void>;
}

type Doers = {
  readonly [K in StepKind]: {
    readonly [N in keyof StepContents[K]]: (world: Target, content: StepContents[K][N]) => void | Promise<void>;
  };
};

/** The rows that need only a card, its reader and its faults. A published card has no other rows. */
export const CARD_ROWS = {
  card: {
    insert: (bench: CardBench) => bench.insert(),
    remove: ({ reader }: CardBench) => reader.remove(),
    reset: ({ reader }: CardBench) => reader.reset(),
    unplug: ({ reader }: CardBench) => reader.unplug(),
    plug: (bench: CardBench) => bench.plug(),
    swap: (bench: CardBench, name: string) => bench.insert(name),
    patch: (bench: CardBench, patch: CardPatch) => patchCard(bench, patch),
  },
  authority: {
    audit: audited("audit", (audits) => audits.audit()),
    "start-audit": audited("start-audit", (audits) => audits.start()),
    "end-audit": audited("end-audit", (audits) => audits.end()),
    disable: audited("disable", (audits) => audits.directive("disable")),
    enable: audited("enable", (audits) => audits.directive("enable")),
  },
  faults: {
    set: ({ faults }: CardBench, list: StepContents["faults"]["set"]) => faults.addAll(list),
    clear: ({ faults }: CardBench) => faults.clear(),
  },
} as const;

export const WORLD_ROWS = {
  ...CARD_ROWS,
  clock: { set: ({ clock }: Target, patch: ClockPatch) => patchClock(clock, patch) },
  service: {
    restart: (world: Target) => world.restart("clean"),
    kill: (world: Target) => world.restart("killed"),
  },
  authority: {
    ...CARD_ROWS.authority,
    talk: ({ audits }: Target) => audits.talk(),
    "audit-now": ({ audits }: Target) => audits.auditNow(),
    "expire-tokens": ({ audits }: Target) => audits.office.expireTokens(),
    "stick-export": ({ audits }: Target) => audits.exportStick(),
    "stick-carry": ({ audits }: Target) => audits.carryStick(),
    "stick-import": ({ audits }: Target) => audits.importStick(),
    confirm: ({ audits }: Target) => audits.confirm(),
    command: ({ audits, uid: current }: Target, { type, payload, uid = current }: QueuedCommand) =>
      void audits.office.command(uid, type, payload),
    "new-labels": ({ audits }: Target) => audits.newLabels(),
    configure: ({ audits }: Target, environment: string | object) => audits.configure(environment),
    faults: ({ audits: { office } }: Target, faults: StepContents["authority"]["faults"]) =>
      faults === "clear" ? office.clearFaults() : office.setFaults(faults),
  },
  vsdc: { set: (world: Target, faults: StepContents["vsdc"]["set"]) => world.requireVsdc().setFaults(faults) },
} as const satisfies Doers;

type Rows = typeof WORLD_ROWS;

type NameOf<K extends StepKind, Action> = Action extends keyof Rows[K]
  ? Action
  : Extract<keyof Action, keyof Rows[K]> extends never
    ? "set"
    : Extract<keyof Action, keyof Rows[K]>;

type ShownBy<K extends StepKind, N> = K extends "service"
  ? "store"
  : N extends keyof (typeof CARD_ROWS)["authority"]
    ? "card"
    : Exclude<K, "service">;

type RowResult<K extends StepKind, N> = N extends keyof Rows[K]
  ? Rows[K][N] extends (...given: never[]) => Promise<void>
    ? Promise<Looks[ShownBy<K, N>]>
    : Looks[ShownBy<K, N>]
  : never;

/** What a step answers: the record that shows what it has changed. It is a promise if the step takes time. */
export type StepAnswer<S extends WorldStep> = S extends unknown
  ? RowResult<keyof S & StepKind, NameOf<keyof S & StepKind, S[keyof S & StepKind]>>
  : never;

type CardRow = (target: CardBench, content: unknown) => unknown;

/**
 * Does a step, and returns its {@link StepAnswer}.
 * @param rows those that the target has
 * @param done called when the row has done its work
 * @throws CallError or UserError if the step is impossible
 */
export function doStep(
  rows: Readonly<Partial<Record<StepKind, object>>>,
  target: CardBench & { look(what: LookName): unknown },
  step: WorldStep,
  done: () => void = () => undefined,
): unknown {
  const { kind, name, content } = partsOf(step);
  const row = new Map<string, CardRow>(Object.entries(rows[kind] ?? {})).get(name);
  if (!row) throw new CallError(400, `${kind}: ${name} is no step here`);
  const shown = kind === "service" ? "store" : name in CARD_ROWS.authority ? "card" : kind;
  const result = row(target, content);
  const answer = () => {
    done();
    return target.look(shown);
  };
  return result instanceof Promise ? result.then(answer) : answer();
}

function partsOf(step: WorldStep): { readonly kind: StepKind; readonly name: string; readonly content?: unknown } {
  const kind = STEP_KINDS.find((one) => one in step);
  if (!kind) throw new CallError(400, `a step has one of ${STEP_KINDS.join(", ")}`);
  const action: unknown = Object.entries(step).find(([key]) => key === kind)?.[1];
  if (typeof action === "string") return { kind, name: action };
  if ("set" in STEPS[kind].rows) return { kind, name: "set", content: action };
  const [[name, content] = [""]] = Object.entries(action as object);
  return { kind, name, content };
}

type CardOutcome = BytesOutcome | EndAuditOutcome;

const OUTCOME_TEXTS: Readonly<Record<CardOutcome["kind"], string>> = {
  ok: "done",
  accepted: "the card has accepted the proof",
  refused: "the card refuses it",
  "bad-proof": "the proof is for another audit of the card",
  "no-audit-open": "no audit is open",
  "pin-required": "the PIN is not verified",
  "no-card": "there is no card in the reader",
  unreachable: "the card does not answer",
  unsupported: "the card is of a kind that the service does not know",
};

function audited(name: string, run: (audits: CardBench["audits"]) => Promise<CardOutcome>) {
  return async ({ audits }: CardBench) => {
    const outcome = await run(audits);
    if (outcome.kind === "ok" || outcome.kind === "accepted") return;
    const details = "reason" in outcome ? [outcome.reason] : [];
    throw new CallError(400, `${name} failed: ${OUTCOME_TEXTS[outcome.kind]}`, details);
  };
}

/** @throws CallError if the new time is outside of the times that a card can sign */
function patchClock(clock: EmulatedClock, { at, advance, ticking }: ClockPatch): void {
  const time =
    (at === undefined ? clock.now() : (parseTime(at) ?? 0)) + (advance === undefined ? 0 : durationOf(advance));
  if (time < EARLIEST || time > LATEST) {
    throw new CallError(400, `The clock goes from ${toIso(EARLIEST)} to ${toIso(LATEST)}`);
  }
  // Freeze the clock before its time is set, because a ticking clock would move on after that.
  if (ticking === false) clock.freeze();
  if (at !== undefined || advance !== undefined) clock.set(time);
  if (ticking === true) clock.tick();
}
