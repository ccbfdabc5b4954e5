/** `tillseal scenario` runs, lists and shows scenarios: the shipped ones pass, and a run says what it did. */

import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { coverageOf, coverageText, holesOf } from "../../harness/scenario/coverage.js";
import { loadScenarios, scenarioFiles } from "../../harness/scenario/load.js";
import type { Played } from "../../harness/scenario/play.js";
import { scenarioReport } from "../../harness/scenario/played-row.js";
import { htmlReport } from "../../harness/scenario/report.js";
import type { Row } from "../../harness/scenario/row.js";
import { runScenarioFiles, select } from "../../harness/scenario/run-files.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { FISCAL_CODES } from "../../src/fiscal/codes.js";
import { serve, tillseal } from "../support/command.js";
import { temporaryFolder } from "../support/folder.js";
import { foreignStub } from "../support/foreign-stub.js";
import { scenarioFile } from "../support/scenario-file.js";

const SHIPPED = join(PACKAGE_ROOT, "scenarios");

interface JsonReport {
  readonly summary: string;
  readonly rows: readonly Row[];
}

describe("the shipped scenarios", () => {
  let results: readonly Played[];
  let report = "";
  beforeAll(async () => {
    const written: string[] = [];
    const write = (text: string) => void written.push(text);
    results = await runScenarioFiles({ paths: [SHIPPED], reporter: "junit", write });
    report = written.join("");
  }, 180_000);

  it("the shipped scenarios all pass, with the report that CI viewers read", () => {
    expect(report).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites/);
    const suites = [...report.matchAll(/<testsuite name="([^"]+)" tests="(\d+)" failures="(\d+)" skipped="(\d+)"/g)];
    expect(suites.length).toBe(scenarioFiles([SHIPPED]).length);
    expect(suites.filter(([, , , failures]) => failures !== "0")).toEqual([]);
    // Files that say what a POS must send are played by `scenario expect`, and those in given/ only begin a world.
    const skipped = suites.flatMap(([, name = "", , , count]) => (count === "0" ? [] : [name]));
    // The names are the same on each machine.
    expect(skipped.filter((name) => !/^(pos|given)\/[\w-]+$/.test(name))).toEqual([]);
    expect(skipped).toHaveLength(scenarioFiles([join(SHIPPED, "pos"), join(SHIPPED, "given")]).length);
    const count = suites.reduce((sum, [, , tests]) => sum + Number(tests), 0);
    expect(count).toBeGreaterThanOrEqual(120);
  });

  it("the shipped scenarios name their schema in the first line, so that editors check them", async () => {
    for (const file of scenarioFiles([SHIPPED])) {
      expect(readFileSync(file, "utf8"), file).toMatch(/^# yaml-language-server: \$schema=\.\.\/schema\.json\n/);
    }
  });

  it("the shipped scenarios cover every code, every endpoint and every state in the card's life", () => {
    const coverage = coverageOf(results);
    expect(holesOf(coverage)).toEqual([]);
    const text = coverageText(coverage);
    expect(text).toMatch(/^ {2}2110 +\S/m);
    expect(text).toMatch(/^ {2}2808 +An invoice with more than 1,000 payments/m);
    // No code is left out, and unreachable ones are listed as such.
    const codes = [...text.matchAll(/^ {2}(\d{4}) /gm)].map(([, code]) => code);
    expect(codes.toSorted()).toEqual(FISCAL_CODES.toSorted());
    const unreachable = [...text.matchAll(/^ {2}(\S+) +cannot be reached: no answer/gm)].map(([, code]) => code);
    expect(unreachable.toSorted()).toEqual(["0000"]);
    expect(text).toMatch(/^ {2}GET \/api\/v3\/invoices\/:requestId +\S/m);
  });

  it("the shipped scenarios write one page with their receipts", () => {
    const html = htmlReport(scenarioReport(results));
    expect(html.match(/<span class="outcome passed">/g)?.length).toBeGreaterThanOrEqual(120);
    const receipts = html.slice(html.indexOf("<h2>Receipts</h2>"));
    for (const type of ["NORMAL SALE", "COPY REFUND", "ADVANCE SALE"]) expect(receipts).toContain(type);
    expect(html).not.toContain("<script");
  });

  it("the shipped scenarios carry the tag of an acceptance case only when the service itself does what the case says", () => {
    const tagged = scenarioFiles([SHIPPED])
      .flatMap(loadScenarios)
      .map(({ tags, ...scenario }) => ({ ...scenario, tags: tags.filter((tag) => /^[A-Z]+-\d{3}$/.test(tag)) }))
      .filter(({ tags }) => tags.length > 0);
    // Without an authority the service calls none, so changes that the emulator makes to the card prove nothing.
    const byTheEmulator = tagged.filter(
      ({ given, steps }) => given?.authority === undefined && steps.some((step) => "authority" in step),
    );
    expect(byTheEmulator.map(({ name, tags }) => [name, tags])).toEqual([]);
    const of = (theme: string, numbers: readonly number[]) =>
      numbers.map((number) => `${theme}-${String(number).padStart(3, "0")}`);
    const upTo = (last: number) => Array.from({ length: last }, (_, i) => i + 1);
    expect([...new Set(tagged.flatMap(({ tags }) => tags))].toSorted()).toEqual([
      ...of("API", upTo(2)),
      ...of("OFFLINE", upTo(8)),
      ...of("ONLINE", upTo(2)),
      ...of("RECEIPT", upTo(10)),
      ...of("STATE", upTo(16)),
    ]);
  });

  it("the shipped scenarios of one theme alone have gaps, which are listed", async () => {
    const { status, stdout } = await tillseal(["scenario", "coverage", "pin/wrong-pin", "--json"]);
    const { holes } = JSON.parse(stdout) as { holes: string[] };
    expect(status).toBe(1);
    expect(holes).toContain("1400");
    expect(holes).not.toContain("2110");
  });
});

it("tillseal scenario run plays a tag or a shard, and stops at the first failure", async () => {
  const tagged = await tillseal(["scenario", "run", SHIPPED, "--filter", "STATE-014", "--reporter", "json"]);
  expect((JSON.parse(tagged.stdout) as JsonReport).rows.map(({ text }) => text)).toEqual([
    "A wrong PIN is 2100, and the last attempt locks the card with 2110",
  ]);
  const folder = temporaryFolder();
  mkdirSync(join(folder, "a"));
  for (const name of ["1", "2", "3", "4", "5", "6", "7", "8"]) {
    writeFileSync(join(folder, "a", `${name}.yaml`), `name: n${name}\nsteps: [{ check: { pin: impossible } }]\n`);
  }
  const bailed = await tillseal(["scenario", "run", folder, "--bail", "--reporter", "json"]);
  expect(bailed.status).toBe(1);
  expect((JSON.parse(bailed.stdout) as JsonReport).rows.length).toBeLessThan(8);
});

it("tillseal scenario run plays each scenario of a mounted Kubernetes ConfigMap once", async () => {
  const mount = temporaryFolder();
  mkdirSync(join(mount, "..2026_11_21_10_00_00.1"));
  writeFileSync(join(mount, "..2026_11_21_10_00_00.1", "a.yaml"), "name: a\nsteps: [{ check: { pin: required } }]\n");
  symlinkSync("..2026_11_21_10_00_00.1", join(mount, "..data"));
  symlinkSync("..data/a.yaml", join(mount, "a.yaml"));
  const { stdout } = await tillseal(["scenario", "run", mount, "--reporter", "json"]);
  expect((JSON.parse(stdout) as JsonReport).rows.map(({ text, outcome }) => [text, outcome])).toEqual([
    ["a", "passed"],
  ]);
});

it("tillseal scenario run fails with 3 when a shard or a service leaves nothing to play, unless --allow-empty is given", async () => {
  const file = scenarioFile("name: a\ngiven: { seed: a }\nsteps: [{ check: { pin: required } }]\n");
  const shards = Array.from({ length: 9 }, (_, i) => ({ index: i + 1, of: 9 }));
  const empty = shards.find((shard) => select(loadScenarios(file), { shard }).length === 0);
  const inShard = ["scenario", "run", file, "--shard", `${empty?.index}/9`];
  expect(await tillseal(inShard)).toMatchObject({
    status: 3,
    stderr: "tillseal: nothing was played: no scenario is in this part; --allow-empty accepts that\n",
  });
  expect(await tillseal([...inShard, "--allow-empty"])).toMatchObject({ status: 0, stderr: "" });
  const { url } = await serve([]);
  const elsewhere = await tillseal(["scenario", "run", file, "--base-url", url]);
  expect(elsewhere).toMatchObject({
    status: 3,
    stderr: expect.stringContaining("no scenario applies to this service"),
  });
});

it("tillseal scenario run puts every scenario into exactly one shard", () => {
  const all = scenarioFiles([SHIPPED]).flatMap(loadScenarios);
  const shards = [1, 2, 3].map((index) => select(all, { shard: { index, of: 3 } }));
  expect(
    shards
      .flat()
      .map(({ name }) => name)
      .sort(),
  ).toEqual(all.map(({ name }) => name).sort());
  for (const shard of shards) expect(shard.length).toBeGreaterThan(0);
});

it("tillseal scenario run plays against a running service, and reports steps that need its card as not applicable, never as passed", async () => {
  const { url } = await serve([]);
  const files = [join(SHIPPED, "refused", "nowhere.yaml"), join(SHIPPED, "card", "disabled.yaml")];
  const { status, stdout } = await tillseal(["scenario", "run", ...files, "--base-url", url, "--reporter", "json"]);
  const { summary, rows } = JSON.parse(stdout) as JsonReport;
  expect([status, summary]).toEqual([0, "3 passed, 0 failed, 2 not applicable"]);
  expect(rows.at(-1)).toMatchObject({
    outcome: "not applicable",
    why: { reason: expect.stringContaining("needs control") },
  });
});

it("tillseal scenario run plays each kind of step in the world behind a control interface, and leaves it unchanged", async () => {
  const { url, greeting } = await serve(["--control-port", "0"]);
  const control = /http:\S+(?=\/control drives)/.exec(greeting)?.[0] ?? "";
  const sold = (await (await fetch(`${url}/api/v3/pin`, { method: "POST", body: "1234" })).text()) === "0100";
  await fetch(`${url}/api/v3/test-invoice`, { method: "POST" });
  const card = async () => (await fetch(`${control}/control/card`)).json();
  const before: unknown = await card();
  const audits = ["by-stick", "killed", "set-by-hand"].map((name) => `audit/${name}`);
  const cards = ["disabled", "reader-unplugged", "removed-and-inserted", "reset-by-another-program", "swapped"];
  const limits = ["limit/crossed-and-cleared", "limit/sales-during-an-audit"];
  const others = [...limits, "online/out-of-reach", "recovery/queue-full", "recovery/restart"];
  const names = [...audits, ...cards.map((name) => `card/${name}`), ...others];
  const against = ["--base-url", `${url}/`, "--control-url", control];
  const { status, stdout } = await tillseal(["scenario", "run", ...names, ...against]);
  expect([sold, status, stdout]).toEqual([true, 0, expect.stringMatching(/^\d+ passed, 0 failed$/m)]);
  expect(await card()).toEqual(before);
});

it("tillseal scenario run says that the control interface is not there", async () => {
  const unreachable = ["--base-url", (await foreignStub()).url, "--control-url", "http://127.0.0.1:9"];
  expect((await tillseal(["scenario", "run", SHIPPED, ...unreachable])).stderr).toBe(
    "tillseal: no whole answer from the control interface at http://127.0.0.1:9: connect ECONNREFUSED 127.0.0.1:9\n",
  );
});

const SLOW = `name: An hour for a signature
given:
  card: { pinVerified: true }
  clock: { at: "2026-01-01T00:00:00Z", ticking: false }
  faults: [{ on: sign, kind: latency, duration: 1h }]
steps:
  - request: { invoice: {} }
  - request: { invoice: {} }
    answer: { json: { sdcDateTime: "2026-01-01T02:00:00.000+01:00" } }
`;
it("tillseal scenario run takes no real time when the card is slow, in its own world or behind a control interface", async () => {
  expect((await tillseal(["scenario", "run", scenarioFile(SLOW)])).status).toBe(0);
  const { url, greeting } = await serve(["--control-port", "0"]);
  const control = /http:\S+(?=\/control drives)/.exec(greeting)?.[0] ?? "";
  const against = ["--base-url", url, "--control-url", control];
  expect((await tillseal(["scenario", "run", scenarioFile(SLOW), ...against])).status).toBe(0);
});

it("tillseal scenario list and show list the situations and show one of them", async () => {
  const listed = await tillseal(["scenario", "list", "--json"]);
  expect(JSON.parse(listed.stdout)).toContainEqual({
    file: expect.stringContaining("card-locked.yaml"),
    name: "A locked card answers 2110 to every PIN",
    tags: ["pin"],
  });
  for (const name of [join(SHIPPED, "pin", "card-locked.yaml"), "pin/card-locked"]) {
    expect((await tillseal(["scenario", "show", name])).stdout).toContain("pinTriesLeft: 0");
  }
});

it("tillseal serve --scenario uses the first of several cases", async () => {
  const { url } = await serve(["--scenario", join(SHIPPED, "recovery", "card-pulled-out.yaml")]);
  const headers = { "Content-Type": "application/json" };
  const sold = await fetch(`${url}/api/v3/test-invoice`, { method: "POST", headers, body: "{}" });
  expect(await sold.json()).toMatchObject({ code: "1300" });
});
