/** The table of steps: what one can do to a world, and who offers it. */
import { expect, expectTypeOf, it } from "vitest";
import type { StepAnswer } from "../../emulator/world/do-step.js";
import type { Looks } from "../../emulator/world/look.js";
import type { StepContents, StepKind, WorldStep } from "../../emulator/world/step-types.js";
import { rowsOf, STEP_KINDS } from "../../emulator/world/steps.js";
import { CONTROL_ENDPOINTS } from "../../harness/control/endpoints.js";
import { TOOLS } from "../../harness/mcp/tools.js";
import { loadScenarios } from "../../harness/scenario/load.js";
import { SCENARIO_SCHEMA } from "../../harness/scenario/schema.js";
import { messageOf } from "../../src/base/thrown.js";
import { compileSchema, explainErrors } from "../../src/schema/validator.js";
import { openedEmulator, openedWorld } from "../support/control.js";
import { scenarioFile } from "../support/scenario-file.js";

/** One step for each row. */
const EXAMPLES: { readonly [K in StepKind]: { readonly [N in keyof StepContents[K]]: WorldStep } } = {
  card: {
    insert: { card: "insert" },
    remove: { card: "remove" },
    reset: { card: "reset" },
    unplug: { card: "unplug" },
    plug: { card: "plug" },
    swap: { card: { swap: "main" } },
    patch: { card: { patch: { pinTriesLeft: 1 } } },
  },
  clock: { set: { clock: { advance: "1h" } } },
  service: { restart: { service: "restart" }, kill: { service: "kill" } },
  authority: {
    audit: { authority: "audit" },
    "start-audit": { authority: "start-audit" },
    "end-audit": { authority: "end-audit" },
    disable: { authority: "disable" },
    enable: { authority: "enable" },
    talk: { authority: "talk" },
    "audit-now": { authority: "audit-now" },
    "expire-tokens": { authority: "expire-tokens" },
    "stick-export": { authority: "stick-export" },
    "stick-carry": { authority: "stick-carry" },
    "stick-import": { authority: "stick-import" },
    confirm: { authority: "confirm" },
    "new-labels": { authority: "new-labels" },
    command: { authority: { command: { type: 99, payload: "" } } },
    configure: { authority: { configure: "cyrillic" } },
    faults: { authority: { faults: { down: true } } },
  },
  faults: { set: { faults: [{ on: "sign", kind: "noAnswer" }] }, clear: { faults: "clear" } },
  vsdc: { set: { vsdc: { down: true } } },
};

const ALL = Object.values(EXAMPLES).flatMap((rows) => Object.entries<WorldStep>(rows));

it("the table of steps has an example of each row in this test", () => {
  const names = STEP_KINDS.flatMap((kind) => rowsOf(kind).map(([name]) => name));
  expect(ALL.map(([name]) => name)).toEqual(names);
});

it("a step that needs no time is done when the call returns; the type of the answer says which", async () => {
  expectTypeOf<StepAnswer<{ card: "remove" }>>().toEqualTypeOf<Looks["card"]>();
  expectTypeOf<StepAnswer<{ card: { swap: string } }>>().toEqualTypeOf<Promise<Looks["card"]>>();
  expectTypeOf<StepAnswer<{ clock: { advance: string } }>>().toEqualTypeOf<Looks["clock"]>();
  expectTypeOf<StepAnswer<{ authority: "audit" }>>().toEqualTypeOf<Promise<Looks["card"]>>();
  expectTypeOf<StepAnswer<{ authority: { configure: string } }>>().toEqualTypeOf<Looks["authority"]>();
  expectTypeOf<StepAnswer<{ service: "kill" }>>().toEqualTypeOf<Promise<Looks["store"]>>();
  const world = await openedWorld({ card: { pinVerified: true } });
  expect(world.do({ card: "remove" }).inserted).toBe(false);
  expect(world.do({ faults: [{ on: "sign", kind: "noAnswer" }] })).toMatchObject([{ id: 1, struck: 0 }]);
  expect(world.do({ clock: { at: "2026-03-01T10:00:00Z", ticking: false } }).at).toBe("2026-03-01T10:00:00.000Z");
  expect(await world.do({ card: "insert" })).toMatchObject({ inserted: true, pin: "required" });
  expect(await world.do({ service: "restart" })).toMatchObject({ complete: 0, keptIn: null });
});

it("a step that is impossible says so and changes nothing", async () => {
  const world = await openedWorld();
  expect(() => world.do({ vsdc: { down: true } })).toThrow("has no online service");
  expect(() => world.do({ authority: { configure: "cyrillic" } })).toThrow("there is no tax authority");
  expect(() => world.do({ clock: { advance: "-100000d" } })).toThrow("The clock goes from");
  await expect(world.do({ authority: "end-audit" })).rejects.toThrow("end-audit failed: no audit is open");
  const fault = { on: "sign", kind: "noAnswer" } as const;
  expect(() => world.do({ faults: new Array(101).fill(fault) })).toThrow("100 faults");
  expect(world.look("faults")).toEqual([]);
});

const validScenario = compileSchema(SCENARIO_SCHEMA);

it.each(ALL)("scenarios offer the step %s", (_, step) => {
  const valid = validScenario({ name: "one step", steps: [step] });
  expect([valid, explainErrors(validScenario.errors)]).toEqual([true, []]);
});

const ofControl = compileSchema(CONTROL_ENDPOINTS.find(({ name }) => name === "do")?.body ?? {});

it.each(ALL)("the control interface and a tool of an agent offer the step %s", (_, step) => {
  expect([ofControl(step), explainErrors(ofControl.errors)]).toEqual([true, []]);
  const offering = TOOLS.filter(({ input }) => compileSchema(input)(step)).map(({ name }) => name);
  expect(offering).toEqual([`do_${Object.keys(step)[0]}`]);
});

/** The call of the test kit that does each row. */
const OF_KIT: { readonly [K in StepKind]: { readonly [N in keyof StepContents[K]]: string } } = {
  card: {
    insert: "card.insert",
    remove: "card.remove",
    reset: "card.reset",
    unplug: "card.unplug",
    plug: "card.plug",
    swap: "card.swap",
    patch: "card.patch",
  },
  clock: { set: "clock.set" },
  service: { restart: "service.restart", kill: "service.kill" },
  authority: {
    ...Object.fromEntries(rowsOf("authority").map(([name]) => [name, "authority.do"])),
    audit: "card.audit",
  } as { readonly [N in keyof StepContents["authority"]]: string },
  faults: { set: "fault", clear: "clearFaults" },
  vsdc: { set: "onlineService.fault" },
};

it("the test kit offers every step", async () => {
  const emulator = await openedEmulator({ given: { vsdc: {} } });
  const kit = { ...emulator, onlineService: await emulator.onlineService() };
  const calls = Object.values(OF_KIT).flatMap((rows) => Object.values<string>(rows));
  for (const call of calls) {
    const [object = "", method] = call.split(".");
    const part = (kit as unknown as Record<string, Record<string, unknown>>)[object];
    expect([call, typeof (method === undefined ? part : part?.[method])]).toEqual([call, "function"]);
  }
  expect(calls).toHaveLength(ALL.length);
  for (const { authority } of ALL.flatMap(([, step]) => ("authority" in step ? step : []))) {
    // The world has no authority, so most acts are refused; but each is known.
    const refusal = await emulator.authority.do(authority).then(() => "", messageOf);
    expect([authority, refusal]).not.toEqual([authority, expect.stringContaining("must be")]);
  }
});

it.each([
  [{ crad: "remove" }, "steps[0].crad is not known; did you mean card?"],
  [{ say: "nothing" }, "steps[0] must be a step with exactly one of request, card, "],
  [
    { card: "removee" },
    'steps[0].card is "removee"; did you mean remove? It must be one of insert, remove, reset, unplug, plug',
  ],
  [{ card: { swop: "other" } }, "steps[0].card.swop is not known; did you mean swap?"],
  [{ authority: "talks" }, "did you mean talk?"],
  [
    { authority: { faults: "clean" } },
    'steps[0].authority.faults is "clean"; did you mean clear? It must be one of clear',
  ],
])("the name of a step is judged before its content, in one line: %j", (step, reason) => {
  const file = scenarioFile(JSON.stringify({ name: "one step", steps: [step] }));
  const message = thrownBy(() => loadScenarios(file));
  expect(message.split("\n")).toEqual([expect.stringContaining(reason)]);
});

function thrownBy(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return messageOf(error);
  }
  return "";
}
