/** `scenario run`: reports in files, lists, and files that are watched for changes. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { differences } from "../../emulator/faults/match.js";
import { runScenarioFiles } from "../../harness/scenario/run-files.js";
import { start, tillseal } from "../support/command.js";
import { openControlled } from "../support/control.js";
import { temporaryFolder } from "../support/folder.js";
import { foreignStub } from "../support/foreign-stub.js";

const scenario = (name: string, status: number, tag = "a") =>
  `name: ${name}\ntags: [${tag}]\nsteps:\n  - request: { method: GET, path: /api/v3/status }\n    answer: { status: ${status} }\n`;

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

it.each([
  ["junit", /^<\?xml [\s\S]*<testsuites[\s\S]*failures="1"/],
  [
    "json",
    /^\{[\s\S]*"summary": "1 passed, 1 failed",\n {2}"rows": \[\n {4}\{[^{]*"text": "Two",\n {6}"outcome": "failed"/,
  ],
  ["html", /^<!doctype html>[\s\S]*failed<\/span> <b>.*Two[\s\S]*passed<\/span> <b>.*One/],
  ["pretty", /^failed .*: Two\n[\s\S]*\npassed .*: One\n[\s\S]*1 passed, 1 failed\n$/],
])("scenario run --output writes the report of %s to the file, lines to the terminal", async (reporter, report) => {
  const folder = folderWith({ "1.yaml": scenario("One", 200), "2.yaml": scenario("Two", 201) });
  const file = join(folder, "report");
  const { status, stdout } = await tillseal(["scenario", "run", folder, "--reporter", reporter, "--output", file]);
  expect([status, stdout]).toEqual([1, expect.stringMatching(/passed .*: One\n[\s\S]*1 passed, 1 failed\n$/)]);
  expect(readFileSync(file, "utf8")).toMatch(report);
});

it("scenario run that is ended plays no further scenario, reports those it played, and leaves a running emulator as it was", async () => {
  const till = await openControlled({ card: { uid: "BEFORE01" } });
  const folder = folderWith({ "1.yaml": scenario("One", 200), "2.yaml": scenario("Two", 200) });
  const output = join(folder, "report.xml");
  const stopped = new AbortController();
  const running = runScenarioFiles({
    paths: [folder],
    reporter: "junit",
    output,
    remote: { baseUrl: till.world.url, controlUrl: till.controlUrl },
    stopped: stopped.signal,
    write: () => stopped.abort(),
  });
  await expect(running).rejects.toThrow("stopped; 1 of 2 scenarios were played");
  expect(readFileSync(output, "utf8").match(/<testcase [^>]*name="[^"]*"/g)).toEqual([expect.stringMatching(/"One"$/)]);
  expect((await till.control("GET", "/card")).json()).toMatchObject({ uid: "BEFORE01" });
});

it("scenario run --output writes a report even when nothing was played", async () => {
  const folder = folderWith({ "1.yaml": `given: {}\n${scenario("One", 200)}`.replace("{}", "{ seed: a }") });
  const file = join(folder, "report.xml");
  const { url } = await foreignStub();
  const args = ["--base-url", url, "--reporter", "junit", "--output", file];
  const { status } = await tillseal(["scenario", "run", folder, ...args]);
  expect([status, readFileSync(file, "utf8")]).toEqual([3, expect.stringContaining("<skipped ")]);
});

it("scenario run does not say that a scenario passed in which nothing was expected", async () => {
  const folder = folderWith({ "1.yaml": "name: One\nsteps:\n  - request: { method: GET, path: /api/v3/status }\n" });
  const { status, stdout, stderr } = await tillseal(["scenario", "run", folder]);
  expect([status, stdout, stderr]).toEqual([
    3,
    expect.stringMatching(
      /^not applicable .*One\n +reason: nothing was expected: no step has an answer or a check\n[\s\S]*0 passed/,
    ),
    "tillseal: nothing was expected: no step has an answer or a check; --allow-empty accepts that\n",
  ]);
});

it("scenario run --list lists what would be played, and plays nothing", async () => {
  const folder = folderWith({ "1.yaml": scenario("One", 500), "2.yaml": scenario("Two", 500, "b") });
  const listed = await tillseal(["scenario", "run", folder, "--filter", "b", "--list"]);
  expect([listed.status, listed.stdout]).toEqual([0, expect.stringMatching(/^\S*2\.yaml: Two #b\n$/)]);
  const json = await tillseal(["scenario", "run", folder, "--list", "--reporter", "json"]);
  expect((JSON.parse(json.stdout) as { name: string }[]).map(({ name }) => name)).toEqual(["One", "Two"]);
  const none = await tillseal(["scenario", "run", folder, "--filter", "c", "--list"]);
  expect([none.status, none.stdout]).toEqual([3, ""]);
  const both = await tillseal(["scenario", "run", folder, "--watch", "--list"]);
  expect([both.status, both.stderr]).toEqual([2, expect.stringContaining("cannot be used with")]);
});

it("scenario run plays many scenarios on all cores and reports each in its place, with the place of a mistake", async () => {
  const count = 60;
  const kinds = Array.from({ length: count }, (_, i) => (["right", "wrong", "unmade"] as const)[i % 3] ?? "right");
  const file = (kind: string, i: number) =>
    `${kind === "unmade" ? "given:\n  environment: nowhere\n" : ""}${scenario(`Number ${i}`, kind === "wrong" ? 201 : 200)}`;
  const names = kinds.map((_, i) => `${String(i).padStart(2, "0")}.yaml`);
  const folder = folderWith(Object.fromEntries(kinds.map((kind, i) => [names[i] ?? "", file(kind, i)])));
  const { status, stdout } = await tillseal(["scenario", "run", folder, "--reporter", "json"]);
  const { summary, rows } = JSON.parse(stdout) as {
    summary: string;
    rows: { text: string; why: { wrong?: string } }[];
  };
  expect([status, summary]).toEqual([1, "20 passed, 40 failed"]);
  // Those that failed come first.
  const order = [...kinds.keys()].toSorted((a, b) => Number(kinds[a] === "right") - Number(kinds[b] === "right"));
  expect(rows.map(({ text }) => text)).toEqual(order.map((i) => `Number ${i}`));
  for (const [at, i] of order.entries()) {
    const expected = { right: undefined, wrong: "status: expected 201", unmade: `${names[i]}:2:16: given` };
    const why = expected[kinds[i] ?? "right"];
    expect(rows[at]?.why.wrong).toEqual(why === undefined ? undefined : expect.stringContaining(why));
  }
  const bailed = await tillseal(["scenario", "run", folder, "--bail"]);
  expect([bailed.status, bailed.stdout]).toEqual([1, expect.not.stringContaining("20 passed, 40 failed")]);
}, 60_000);

it("scenario run --watch plays files that changed, are new or were broken, with any editor, and ends with a summary", async () => {
  const folder = folderWith({ "1.yaml": scenario("One", 200), "2.yaml": scenario("Two", 200) });
  const { process: child, greeting, exited } = await start(["scenario", "run", folder, "--watch"]);
  let output = "";
  const round = () =>
    new Promise<string>((resolve) => {
      const look = (chunk: Buffer) => {
        output += chunk.toString();
        if (!output.endsWith("press Ctrl-C to stop\n")) return;
        child.stdout?.off("data", look);
        resolve(output);
        output = "";
      };
      child.stdout?.on("data", look);
    });
  expect(greeting).toContain("2 passed, 0 failed");
  let next = round();
  writeFileSync(join(folder, "1.yaml"), scenario("One again", 201));
  expect(await next).toMatch(/^failed .*: One again\n[\s\S]*0 passed, 1 failed/);
  // Some editors write a new file and rename it over the old one.
  next = round();
  writeFileSync(join(folder, "1.yaml~"), scenario("One replaced", 200));
  renameSync(join(folder, "1.yaml~"), join(folder, "1.yaml"));
  expect(await next).toMatch(/^passed .*: One replaced\n\n1 passed/);
  next = round();
  writeFileSync(join(folder, "2.yaml"), "name: [");
  expect(await next).toMatch(/^\S*2\.yaml:1:\d+: cannot be read/);
  next = round();
  mkdirSync(join(folder, "more"));
  writeFileSync(join(folder, "more", "3.yaml"), scenario("Three", 200));
  rmSync(join(folder, "2.yaml"));
  expect(await next).toContain("Three");
  child.kill("SIGINT");
  expect(await exited).toBe(0);
});

const text = "a\r\nb 12:00\r\nc\r\n";

it("$lines compares line by line, with matchers, and names the wrong line", () => {
  expect(differences({ $lines: ["a", { $contains: "b" }, "c"] }, text)).toEqual([]);
  expect(differences({ journal: { $lines: ["a", { $match: "^b" }, "d"] } }, { journal: text })).toEqual([
    { path: "journal line 3", expected: '"d"', actual: '"c"' },
  ]);
});

it.each([
  ["a line too few", { $lines: ["a", { $any: true }] }],
  ["a line too many", { $lines: ["a", { $any: true }, "c", "d"] }],
  ["no list", { $lines: "a" }],
])("$lines refuses %s", (_, expected) => {
  expect(differences(expected, text).length).toBeGreaterThan(0);
});

it.each([[undefined], [7], ["a\nb 12:00\nc\n"], ["a\r\nb 12:00\r\nc"]])("$lines refuses %j as the text", (actual) => {
  expect(differences({ $lines: ["a", { $any: true }, "c"] }, actual).length).toBeGreaterThan(0);
});
