/**
 * The table of what one can do to a world. Scenarios, control interface, tools of agents and documents use it. do-step.ts
 * has what each row does.
 */
import { describedSchema, type JsonSchema } from "../../src/schema/json-schema.js";
import { FAULT_SCHEMA } from "../faults/fault-schema.js";
import { AUTHORITY_FAULTS_SCHEMA } from "../tax-authority/authority-faults.js";
import { CARD_NAME, CARD_PATCH, CLOCK_PATCH, QUEUED_COMMAND, VSDC_PATCH } from "./schemas.js";
import type { StepContents, StepKind } from "./step-types.js";

/**
 * What a step or a tool does to the emulator, as the Model Context Protocol names it: agents ask a person before they
 * run a destructive tool, and run one that only reads without asking.
 */
export type Effect = "reads" | "changes" | "erases";

export interface StepRow {
  readonly does: string;
  readonly effect: Effect;
  /** Schema of the content; undefined if the step is only its name. */
  readonly content: JsonSchema | undefined;
}

interface KindOfSteps<K extends StepKind> {
  readonly about: string;
  readonly rows: { readonly [N in keyof StepContents[K]]: StepRow };
}

const changes = (does: string, content?: JsonSchema): StepRow => ({ does, effect: "changes", content });

export const STEPS: { readonly [K in StepKind]: KindOfSteps<K> } = {
  card: {
    about: "what happens to the card and its reader",
    rows: {
      insert: changes("insert the card that was in last"),
      remove: changes("pull the card out"),
      reset: changes("reset the card as another program would; its PIN session ends"),
      unplug: changes("unplug the reader"),
      plug: changes("plug the reader in, with the card in it"),
      swap: changes("insert another card", CARD_NAME),
      patch: changes(
        "change PIN attempts, lock, signing, sum, limit, counters; locking and unlocking end the PIN session",
        CARD_PATCH,
      ),
    },
  },
  clock: {
    about: "what happens to the time",
    rows: { set: changes("set, advance, freeze or start the clock", CLOCK_PATCH) },
  },
  service: {
    about: "the service starts again, on the same card and store",
    rows: {
      restart: changes("end the service as SIGTERM does, and start it again"),
      kill: changes("end it as SIGKILL does, and start it again"),
    },
  },
  authority: {
    about:
      "what the tax authority does, or a person who runs an audit at the till; with given.authority through the service, else at the card",
    rows: {
      audit: changes("audit the card: its sum becomes 0"),
      "start-audit": changes("the first half of an audit; sales may go on until end-audit"),
      "end-audit": changes("the second half of an audit, with the proof"),
      disable: changes("a directive that disables signing"),
      enable: changes("a directive that enables signing"),
      talk: changes("the service talks to the authority now instead of within a minute"),
      "audit-now": changes("as `tillseal audit now`"),
      "expire-tokens": changes("every token expires now"),
      "stick-export": changes("as `tillseal audit export`"),
      "stick-carry": changes(
        "as `tillseal authority stick`: carries the files to the authority, and its commands back",
      ),
      "stick-import": changes("as `tillseal audit import` without a yes: commands that change rates or addresses wait"),
      confirm: changes(
        "as `tillseal audit confirm --yes`: a person says yes to the commands that wait, and has seen the changes that were made",
      ),
      "new-labels": changes("tax rates under other labels begin now; the earlier rates stay, for refunds"),
      command: changes("queue any command", QUEUED_COMMAND),
      configure: changes(
        "environment and tax rates that it sends from now on: a name in fixtures/environments, or the content of such a file",
        { type: ["string", "object"] },
      ),
      faults: changes("faults that the authority has from now on, or clear", {
        if: { type: "string" },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        then: { enum: ["clear"] },
        else: AUTHORITY_FAULTS_SCHEMA,
      }),
    },
  },
  faults: {
    about: "what goes wrong at the card, the store or the answers",
    rows: {
      set: changes("set further faults", { type: "array", items: FAULT_SCHEMA }),
      clear: { does: "remove all faults", effect: "erases", content: undefined },
    },
  },
  vsdc: {
    about: "what goes wrong at the online service of given.vsdc",
    rows: { set: changes("change its faults", VSDC_PATCH) },
  },
};

export const STEP_KINDS = Object.keys(STEPS) as StepKind[];

export function rowsOf(kind: StepKind): readonly (readonly [name: string, row: StepRow])[] {
  return Object.entries<StepRow>(STEPS[kind].rows);
}

/**
 * Schema of what a step of one kind does. It judges a name before its content, so that a misspelt name gives one error.
 * @param names of the rows that exist. Default: all
 */
export function actionSchema(kind: StepKind, names?: readonly string[]): JsonSchema {
  const rows = rowsOf(kind).filter(([name]) => names?.includes(name) ?? true);
  const words = rows.filter(([, { content }]) => !content);
  const contents = rows.filter(([, { content }]) => content);
  const description = [STEPS[kind].about, ...words.map(([name, { does }]) => `${name}: ${does}`)].join("; ");
  const word = { enum: words.map(([name]) => name) };
  if (contents.length === 0) return { ...word, description };
  const [[first, row] = []] = contents;
  const content = first === "set" ? row?.content : namedContent(contents);
  if (words.length === 0) return { ...content, description };
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  return { description, if: { type: "string" }, then: word, else: content };
}

function namedContent(rows: readonly (readonly [name: string, row: StepRow])[]): JsonSchema {
  const contents = rows.map(([name, { does, content }]) => [name, { description: does, ...content }]);
  return { ...describedSchema("one of these", Object.fromEntries(contents)), minProperties: 1, maxProperties: 1 };
}

/** Schema of a step. @param kinds each with the names of its rows that exist. Default: all kinds and rows */
export function stepSchema(kinds: Readonly<Partial<Record<StepKind, readonly string[]>>> = {}): JsonSchema {
  const chosen = Object.keys(kinds).length === 0 ? STEP_KINDS : (Object.keys(kinds) as StepKind[]);
  const properties = chosen.map((kind) => [kind, actionSchema(kind, kinds[kind])]);
  const schema = describedSchema("what is done, as a step of a scenario", Object.fromEntries(properties));
  return { ...schema, minProperties: 1, maxProperties: 1 };
}
