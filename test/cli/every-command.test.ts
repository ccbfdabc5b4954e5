/** What each command says, whatever it is asked: only texts that were written for people. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { expect, it } from "vitest";
import { makeProgram } from "../../src/commands/program.js";
import { runOn, serve, tillseal } from "../support/command.js";
import { makeCard } from "../support/emulated-card.js";
import { temporaryFolder } from "../support/folder.js";
import { RECORDED_URLS } from "../support/recorded.js";
import { callService, JSON_HEADERS, sale } from "../support/till.js";

/** How a value looks that was put into a text by mistake. */
const NO_TEXT = /\[object|\bundefined\b|\bNaN\b/;

function every(command: Command, path = command.name()): readonly (readonly [path: string, command: Command])[] {
  return [[path, command], ...command.commands.flatMap((one) => every(one, `${path} ${one.name()}`))];
}

it.each(every(await makeProgram()))("the help of a command describes each flag in words: %s", (_path, command) => {
  expect(command.helpInformation()).not.toMatch(NO_TEXT);
});

/** These talk to another program, or take long. Their own tests read what they say. */
const ELSEWHERE = ["tillseal mcp", "tillseal card publish", "tillseal conformance"];

it("the output of every command is in words, after a day of sales, in each of its forms", async () => {
  const folder = temporaryFolder();
  const dataDir = join(folder, "data");
  const stick = join(folder, "stick");
  mkdirSync(stick);
  const keys = join(folder, "card.pem");
  writeFileSync(keys, makeCard().certificate);
  const service = await serve(["--data-dir", dataDir, "--control-port", "0"]);
  const { url, greeting } = service;
  const control = /http:\S+(?=\/control drives)/.exec(greeting)?.[0] ?? "";
  await callService(url, "POST", "/api/v3/pin", { headers: { "Content-Type": "text/plain" }, body: "1234" });
  for (let n = 0; n < 3; n++) {
    const headers = { ...JSON_HEADERS, RequestId: `order-${n}` };
    expect((await callService(url, "POST", "/api/v3/invoices", { headers, body: sale() })).status).toBe(200);
  }
  const at = ["--data-dir", dataDir];
  const none = ["--data-dir", join(folder, "none")];
  const world = ["--control-url", control];
  const pos = ["--for", "1ms", "--port", "0"];
  const beside: Record<string, readonly (readonly string[])[]> = {
    status: [at, none],
    report: [at],
    "incidents list": [at],
    "incidents confirm": [["--all", ...at]],
    "incidents decide": [["order-1", "--signed", ...at]],
    "audit now": [at],
    "audit status": [at],
    "audit unsent": [at],
    "audit export": [[stick, "--same-disk", ...at]],
    "audit import": [[stick, ...at]],
    "audit confirm": [at],
    "pki-pin": [at],
    decode: [[RECORDED_URLS[0].url]],
    config: [at],
    "environment check": [["fixtures/environments/cyrillic.yaml"], [keys]],
    doctor: [at],
    backup: [[join(folder, "day.db"), ...at]],
    verify: [at],
    changes: [at],
    "data export": [[join(folder, "export"), ...at]],
    "data erase": [["--before", "2016-01-01", ...at]],
    "card list": [[]],
    "card info": [[]],
    "card make-keys": [["--out", join(folder, "keys")]],
    "scenario run": [["pin/card-locked"]],
    "scenario list": [["pin"]],
    "scenario show": [["pin/card-locked"]],
    "scenario coverage": [["pin/card-locked"]],
    "scenario expect": [[...pos, "pos/advance-is-closed"]],
    rehearse: [pos],
    "sample sale": [[url]],
    "sample invoice": [[]],
    "snapshot save": [[join(folder, "world"), ...world]],
    "snapshot load": [[join(folder, "world"), "--restore", ...world]],
    "authority client-certificate": [["TESTCARD", "--out", join(folder, "till.pfx")]],
    "authority stick": [[stick, ...at]],
    restore: [[join(folder, "day.db"), ...none]],
    stop: [none],
  };
  const running = { serve: greeting, proxy: "", "authority serve": "" };
  running.proxy = (await runOn(["proxy", "--target", url, "--port", "0", "--control-port", "0"])).greeting;
  running["authority serve"] = (await runOn(["authority", "serve", "--port", "0"])).greeting;
  const leaves = every(await makeProgram()).filter(
    ([path, { commands }]) => commands.length === 0 && !ELSEWHERE.includes(path),
  );
  const said: Record<string, string> = {};
  for (const [name, rows] of Object.entries(beside)) {
    const forms = leaves.find(([path]) => path === `tillseal ${name}`)?.[1].options ?? [];
    const flags = forms.flatMap(({ long }) => (long === "--json" || long === "--csv" ? [[long]] : []));
    for (const row of rows) {
      for (const form of [[], ...flags]) {
        const args = [...name.split(" "), ...row, ...form];
        const { stdout, stderr } = await tillseal(args, {}, "1234\n");
        said[args.join(" ")] = stdout + stderr;
      }
    }
  }
  expect(leaves.map(([path]) => path.replace("tillseal ", "")).toSorted()).toEqual(
    Object.keys({ ...beside, ...running }).toSorted(),
  );
  for (const [command, text] of Object.entries({ ...said, ...running })) {
    expect(`${command}: ${text}`).not.toMatch(NO_TEXT);
    expect(`${command}: ${text}`).not.toMatch(/\n\s+at \S+ \(/);
    expect(text, command).not.toBe("");
  }
}, 120_000);
