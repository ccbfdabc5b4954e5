/** A mistake in a scenario is reported with its place and the names that exist. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pino } from "pino";
import { expect, it } from "vitest";
import { World } from "../../emulator/world/world.js";
import { ControlServer } from "../../harness/control/control-server.js";
import { controlAt, openControlledStage } from "../../harness/scenario/controlled-stage.js";
import { loadScenarios } from "../../harness/scenario/load.js";
import { differences, placesIn, valueAt } from "../../harness/scenario/match.js";
import { play } from "../../harness/scenario/play.js";
import { failureText } from "../../harness/scenario/played-row.js";
import type { OpenStage } from "../../harness/scenario/stage.js";
import { WorldStage } from "../../harness/scenario/world-stage.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { tillseal } from "../support/command.js";
import { scenarioFile } from "../support/scenario-file.js";

const inWorld: OpenStage = ({ given }) => WorldStage.open(given, { realTime: false });

/** Why the first scenario of a file fails. */
async function failureOf(text: string, open = inWorld): Promise<string> {
  const [scenario] = loadScenarios(scenarioFile(text));
  if (!scenario) throw new Error("there is no scenario");
  const { failure } = await play(scenario, open);
  return failure ? failureText("scenario.yaml", failure) : "it passed";
}

const STEPS = "steps:\n  - request: { method: GET, path: /api/v3/status }\n";

it.each([
  ["given:\n  environment: serbia\n", "scenario.yaml:3:16: given: given.environment: there is no environment serbia"],
  ["given: { environment: cyrilic }\n", "there is no environment cyrilic; did you mean cyrillic?"],
  [
    "given:\n  environment:\n    parameters: { country: Serbia }\n    taxRates: []\n",
    "scenario.yaml:4:17: given: given.environment: parameters.organizationName is missing",
  ],
  ["given:\n  card:\n    inserted: true\n    key: /nowhere.pem\n", "scenario.yaml:4:5: given: card main: its key"],
  ["given:\n  otherCards:\n    red: { key: /nowhere.pem }\n", "scenario.yaml:4:10: given: card red: its key"],
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
  expect(await failureOf(`name: x\n${STEPS}`, open)).toMatch(/^scenario\.yaml:1: before the first step: the control/);
});

it("what is wrong in given with an online service is not applicable at an emulator on another machine", async () => {
  const open = openControlledStage("http://emulator:8431", () => Promise.reject(new Error("called")), {
    realTime: false,
  });
  const [scenario] = loadScenarios(scenarioFile(`name: x\ngiven: { vsdc: {} }\n${STEPS}`));
  if (!scenario) throw new Error("no scenario");
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
  ["given: { faults: [{ on: sign, kind: noAnwser }] }", /faults\[0\]\.kind must be one of .*; did you mean noAnswer\?/],
  ["given: { faults: [{ on: sing, kind: noAnswer }] }", /faults\[0\]\.on must be one of .*; did you mean sign\?/],
  ["given: { card: { pinTires: 3 } }", /pinTires is not known; did you mean pinTries\? Expected one of inserted/],
  ["given: { settings: { journalHeader: centerd } }", /must be one of .*; did you mean centred\?/],
  ["stepps: []", /stepps is not known; did you mean steps\? Expected one of name/],
])("a name that does not exist in a file is answered with the probable one: %s", (line, message) => {
  expect(() => loadScenarios(scenarioFile(`name: x\n${line}\n${STEPS}`))).toThrow(message);
});

it("a name that does not exist of a matcher is answered with the probable one", () => {
  expect(differences({ $mach: "a" }, "a")[0]?.expected).toMatch(
    /a known matcher, not \$mach: .*did you mean \$match\?$/,
  );
});

it.each([
  [["scenario", "run", "pin/card-loked"], "there is no scenario pin/card-loked; did you mean pin/card-locked?"],
  [["scenario", "run", "pin", "--filter", "recovry"], "no scenario has the tag recovry"],
  [["scenario", "run", "pin", "--reporter", "jnuit"], "pretty, junit, json, html; did you mean junit?"],
  [["scenario", "run", "pin", "--reproter", "junit"], "(Did you mean --reporter?)"],
  [["config", "--journal-header", "centerd"], "expected left or centred or labelled; did you mean centred?"],
  [["sample", "invoice", "--type", "normal-sael"], "; did you mean normal-sale?"],
])("a name that does not exist on the command line is answered with the probable one: %j", async (args, message) => {
  const { status, stderr } = await tillseal(args);
  expect([status > 1, stderr]).toEqual([true, expect.stringContaining(message)]);
});

it("a name that does not exist in a variable is answered with the probable one", async () => {
  const { stderr } = await tillseal(["config"], { TILLSEAL_PROT: "1" });
  expect(stderr).toContain("TILLSEAL_PROT: there is no such setting; did you mean TILLSEAL_PORT?");
});
