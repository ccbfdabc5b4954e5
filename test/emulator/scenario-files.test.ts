/** Files of scenarios, and what is wrong with them. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, it } from "vitest";
import { differences, placesIn, showBody, valueAt } from "../../emulator/faults/match.js";
import { World } from "../../emulator/world/world.js";
import { ControlServer } from "../../harness/control/control-server.js";
import { controlAt, openControlledStage } from "../../harness/scenario/controlled-stage.js";
import { loadScenarios } from "../../harness/scenario/load.js";
import { play } from "../../harness/scenario/play.js";
import { failureText } from "../../harness/scenario/played-row.js";
import type { OpenStage } from "../../harness/scenario/stage.js";
import { httpRequestOf } from "../../harness/scenario/step-request.js";
import { openWorldStage } from "../../harness/scenario/world-stage.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { environmentFile } from "../support/invoices.js";
import { scenarioFile, scenarioIn } from "../support/scenario-file.js";

it("a scenario that is broken on purpose fails with file, line, expected and actual values, and the exchange", async () => {
  const file = scenarioFile(`name: A sale
given: { card: { pinVerified: true } }
steps:
  - request: { invoice: {} }
    answer: { status: 200, json: { totalCounter: 7 } }
`);
  const { status, stdout } = await tillseal(["scenario", "run", file]);
  expect(status).toBe(1);
  expect(stdout).toMatch(/^failed .*: A sale/m);
  expect(stdout).toContain(`${file}:4: step 1: the answer differs from what the step expects`);
  expect(stdout).toMatch(/json\.totalCounter: expected 7\n +but was {2}1/);
  expect(stdout).toContain("POST /api/v3/invoices");
  expect(stdout).toContain("0 passed, 1 failed");
});

it.each([
  ["name: x\nsteps:\n  - { card: eat }\n", /scenario\.yaml:3:13: steps\[0\]\.card must be one of insert, remove/],
  [
    "name: x\nstep: []\nsteps: [{ card: insert }]\n",
    /:2:7: step is not known; did you mean steps\? Expected one of name, about, todo, serbian, tags, rows, given, cases, steps/,
  ],
  [
    "name: x\ngiven: { card: { pni: 1 } }\nsteps: [{ card: insert }]\n",
    /:2:\d+: given\.card\.pni is not known; did you mean pin\? Expected one of inserted/,
  ],
  [
    "name: x\ngiven: { faults: [{ on: sign }] }\nsteps: [{ card: insert }]\n",
    /:2:\d+: given\.faults\[0\]\.kind is missing/,
  ],
  ["steps: [{ card: insert }]\n", /:1:\d+: name is missing/],
  ["name: x\nsteps:\n  - { clock: freeze }\n", /:3:\d+: steps\[0\]\.clock must be at, advance or ticking, such as \{/],
  [
    "name: x\nsteps:\n  - { clock: { advance: 5000 } }\n",
    /clock\.advance must be a length of time such as 1h30m, 40s or 500ms, as text\n$/,
  ],
  ["name: [\n", /scenario\.yaml:\d+:\d+: /],
])("a scenario that is broken on purpose names file, line, column and expectation: %j", async (text, complaint) => {
  const { status, stderr } = await tillseal(["scenario", "run", scenarioFile(text)]);
  expect([status, stderr]).toEqual([2, expect.stringMatching(complaint)]);
  expect(stderr).not.toContain("    at ");
});

it("a body in a report has one field per line, long values cut, and no control characters that a terminal would obey", () => {
  expect(showBody(`{"a":"${"x".repeat(100)}","b":[1]}`)).toBe(
    `{\n  "a": "${"x".repeat(80)}… (100 characters)",\n  "b": [\n    1\n  ]\n}`,
  );
  expect(showBody("\u001b[2Jno json\u0007\n")).toBe("\\u001b[2Jno json\\u0007\n");
  expect(showBody("y".repeat(9000))).toHaveLength(4000 + "… (9000 characters)".length);
});

it("a long list is written as one entry and a number, at any place", () => {
  const { body } = httpRequestOf({
    json: { a: { $repeat: { times: 2, value: { b: { $repeat: { times: 1, value: 0 } } } } } },
  });
  expect(Buffer.from(body ?? "").toString()).toBe('{"a":[{"b":[0]},{"b":[0]}]}');
  expect(() => httpRequestOf({ json: { $repeat: { times: -1, value: 0 } } })).toThrow(
    "$repeat needs a value and times",
  );
});

it.each([
  [{ a: 1 }, { a: 1, b: 2 }, 0],
  [[1, 2], [1], 1],
  [{ $any: true }, undefined, 1],
  [{ $absent: true }, undefined, 0],
  [{ $type: "array" }, [], 0],
  [{ $type: "number" }, "1", 1],
  [{ $match: "^A" }, "AB", 0],
  [{ $match: "^A" }, 5, 1],
  [{ $range: [1, 3] }, 3, 0],
  [{ $range: [1, 3] }, 4, 1],
  [{ $time: true }, "2026-01-01T00:00:00.000Z", 0],
  [{ $time: true }, "yesterday", 1],
  [{ $contains: "b" }, "abc", 0],
  [{ $contains: { x: 1 } }, [{ x: 2 }, { x: 1, y: 3 }], 0],
  [{ $contains: { x: 1 } }, [{ x: 2 }], 1],
  [{ $length: 2 }, [1, 2], 0],
  [{ $typo: 2 }, 2, 1],
  [null, undefined, 1],
])("matchers %j against %j has %d differences", (expected, actual, count) => {
  expect(differences(expected, actual)).toHaveLength(count);
});

const played = async (steps: string) => {
  const file = scenarioFile(`name: A mistake\nsteps:\n${steps}\n`);
  const { status, stdout } = await tillseal(["scenario", "run", file]);
  return { status, stdout };
};

it.each([
  [
    "because its header is written in capitals",
    "  - request: { path: /api/v3/attention, method: GET }\n    answer: { headers: { Date: { $absent: true } } }",
    "date",
  ],
  [
    "because a name is misspelt",
    `  - request: { path: '/api/v3/invoices/\${nubmer}', method: GET }\n    answer: { status: 404 }`,
    "neither a case nor an earlier answer gives nubmer; nothing was captured before this step",
  ],
  [
    "because false means true",
    "  - request: { path: /api/v3/status, method: GET }\n    answer: { json: { nothing: { $absent: false } } }",
    "nothing",
  ],
])("a scenario that could not fail %s fails", async (_, steps, message) => {
  const { status, stdout } = await played(steps);
  expect([status, stdout.toLowerCase()]).toEqual([1, expect.stringContaining(message)]);
});

it("a scenario that could not fail is an error when it is empty: an empty folder, or a tag that no scenario has", async () => {
  const empty = temporaryFolder();
  expect(await tillseal(["scenario", "run", empty])).toMatchObject({
    status: 3,
    stderr: expect.stringContaining("there is no scenario in"),
  });
  const tag = ["scenario", "run", join(PACKAGE_ROOT, "scenarios"), "--filter", "nosuchtag"];
  expect(await tillseal(tag)).toMatchObject({
    status: 3,
    stderr: expect.stringContaining("no scenario has the tag nosuchtag"),
  });
  expect(await tillseal([...tag, "--allow-empty"])).toMatchObject({ status: 0 });
});

const inWorld: OpenStage = openWorldStage();

/** Why the first scenario of a file fails. */
async function failureOf(text: string, open = inWorld): Promise<string> {
  const scenario = { ...scenarioIn(scenarioFile(text)), file: "scenario.yaml" };
  const { failure } = await play(scenario, open);
  return failure ? failureText(scenario, failure) : "it passed";
}

const SAME_LABELS = readFileSync(environmentFile("specification"), "utf8").replace("label: B", "label: A");
const STEPS = "steps:\n  - request: { method: GET, path: /api/v3/status }\n";

it.each([
  ["given:\n  environment: serbia\n", "scenario.yaml:3:16: given: given.environment: there is no environment serbia"],
  ["given: { environment: cyrilic }\n", "there is no environment cyrilic; did you mean cyrillic?"],
  [
    "given:\n  environment:\n    parameters: { country: Serbia }\n    taxRates: []\n",
    "scenario.yaml:4:17: given: given.environment: parameters.organizationName is missing",
  ],
  [
    `given:\n  environment:\n${SAME_LABELS.replaceAll(/^/gm, "    ")}\n`,
    "scenario.yaml:28:59: given: given.environment: taxRates[0].taxCategories[0].taxRates[1].label: A appears twice",
  ],
  ["given:\n  card:\n    inserted: true\n    key: /nowhere.pem\n", "scenario.yaml:5:10: given: card main: its key"],
  ["given:\n  otherCards:\n    red: { key: /nowhere.pem }\n", "scenario.yaml:4:17: given: card red: its key"],
])("what is wrong in given is reported for given, not for the first step: %j", async (given, message) => {
  expect(await failureOf(`name: x\n${given}${STEPS}`)).toContain(message);
});

it("what is wrong in given is reported for given even when a remote emulator refuses it", async () => {
  const world = await World.open();
  const address = { port: 0, host: "127.0.0.1", allowedHosts: [], allowedOrigins: [] };
  const server = await ControlServer.open(world, { ...address, log: pino({ level: "silent" }) });
  const open = openControlledStage(world.url, controlAt(server.url), { realTime: false });
  const message = await failureOf(`name: x\ngiven:\n  environment: serbia\n${STEPS}`, open);
  await server.close();
  await world.close();
  expect(message).toContain("scenario.yaml:3:16: given: given.environment: there is no environment serbia");
  expect(await failureOf(`name: x\n${STEPS}`, open)).toMatch(
    /^scenario\.yaml:1: before the first step: no whole answer from the control/,
  );
});

it("what is wrong in given with an online service is not applicable at an emulator on another machine", async () => {
  const open = openControlledStage("http://emulator:8431", () => Promise.reject(new Error("called")), {
    realTime: false,
  });
  const scenario = scenarioIn(scenarioFile(`name: x\ngiven: { vsdc: {} }\n${STEPS}`));
  await expect(open(scenario)).rejects.toThrow(
    "the online service of an emulator answers on the emulator's own machine",
  );
});

it("what is wrong in given may use values of cases only, and lists those that exist", () => {
  const text = `name: x\ncases: [{ case: a, tries: 3 }]\ngiven: { card: { uid: "\${tires}" } }\n${STEPS}`;
  expect(() => loadScenarios(scenarioFile(text))).toThrow(
    /:3:23: given uses \$\{tires\}, which no case gives; the cases give tries; did you mean tries\?$/,
  );
  expect(() => loadScenarios(scenarioFile(`name: x\ngiven: { seed: "\${a}" }\n${STEPS}`))).toThrow(
    /given uses \$\{a\}, which no case gives; there are no values of cases$/,
  );
});

const captured = (path: string, use = "") =>
  failureOf(`name: x
given: { card: { pinVerified: true } }
steps:
  - request: { invoice: {} }
    answer: { capture: { sold: "${path}" } }
${use}`);

it("capture of something that is not in the answer lists what is there", async () => {
  const message = await captured("invoiceNumer");
  expect(message).toContain("there is no invoiceNumer to capture as sold; the answer has ");
  expect(message).toMatch(/invoiceNumber, .*taxItems\[0\]\.label.*; did you mean invoiceNumber\?$/);
});

it("capture works as the documentation shows it", async () => {
  const page = readFileSync(join(PACKAGE_ROOT, "docs", "scenarios.md"), "utf8");
  const [, example = ""] = /<!-- capture -->\n```yaml\n([\s\S]+?)```/.exec(page) ?? [];
  expect(await failureOf(example)).toBe("it passed");
});

it("capture in a later step lists the names that exist", async () => {
  const use = `  - request: { method: GET, path: "/api/v3/invoices/\${slod}" }\n`;
  expect(await captured("invoiceNumber", use)).toContain(
    "neither a case nor an earlier answer gives slod; captured are sold; did you mean sold?",
  );
});

it("capture of an answer that is not JSON says so", async () => {
  const steps = "steps:\n  - request: { method: GET, path: /api/v3/attention }\n    answer: { capture: { a: b } }\n";
  expect(await failureOf(`name: x\n${steps}`)).toContain("the answer is no JSON object or list");
});

it("capture finds a value at every place that it names", () => {
  const body = { a: [{ b: 1 }, [2, [3]]], c: { d: null }, e: "" };
  expect(placesIn(body)).toEqual(["a[0].b", "a[1][0]", "a[1][1][0]", "c.d", "e"]);
  expect(placesIn(body).map((path) => valueAt(body, path))).toEqual([1, 2, 3, null, ""]);
});

it.each([
  ["given: { faults: [{ on: sign, kind: noAnwser }] }", /faults\[0\]\.kind is "noAnwser"; did you mean noAnswer\?/],
  ["given: { faults: [{ on: sing, kind: noAnswer }] }", /faults\[0\]\.on is "sing"; did you mean sign\?/],
  ["given: { settings: { journalHeader: centerd } }", /is "centerd"; did you mean centred\? It must be one of/],
])("a name that does not exist in a file is answered with the probable one: %s", (line, message) => {
  expect(() => loadScenarios(scenarioFile(`name: x\n${line}\n${STEPS}`))).toThrow(message);
});

it("a name that does not exist of a matcher is answered with the probable one", () => {
  expect(differences({ $mach: "a" }, "a")[0]?.expected).toMatch(
    /a known matcher, not \$mach: .*did you mean \$match\?$/,
  );
});

it.each([
  [["scenario", "run", "pin", "--filter", "recovry"], "no scenario has the tag recovry"],
  [["scenario", "run", "pin", "--reporter", "jnuit"], "pretty, junit, json, html; did you mean junit?"],
  [["scenario", "run", "pin", "--reproter", "junit"], "(Did you mean --reporter?)"],
  [["config", "--journal-header", "centerd"], "expected left or centred or labelled; did you mean centred?"],
  [["sample", "invoice", "--type", "normal-sael"], "; did you mean normal-sale?"],
])("a name that does not exist on the command line is answered with the probable one: %j", async (args, message) => {
  const { status, stderr } = await tillseal(args);
  expect([status > 1, stderr]).toEqual([true, expect.stringContaining(message)]);
});
