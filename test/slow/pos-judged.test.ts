/**
 * A right POS, one with each of ten mistakes, one with each honest habit and one that does nothing, under the two
 * commands that judge a POS. pos/falls-back-to-online is judged in test/emulator/vsdc-tools.test.ts.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { beforeAll, expect, it } from "vitest";
import { expectOfPos } from "../../harness/watch/expect.js";
import { rehearse } from "../../harness/watch/rehearse.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { UserError } from "../../src/base/user-error.js";
import type { Habit, Mistake } from "../support/pos.js";

/** The files of scenarios/pos that ask for each act of the program. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  twice: [
    "lost-answer",
    "printed-without-an-answer",
    "card-not-reached",
    "card-changed",
    "labels-in-the-wrong-alphabet",
    "pos-number",
  ],
  "over midnight": ["labels-at-midnight"],
  "refund and copy": ["refund-names-its-original"],
  "sale and advance": ["pos-time", "advance-is-closed"],
};

const SILENT = {
  port: 0,
  host: "localhost",
  stopped: new AbortController().signal,
  write: () => undefined,
  notice: () => undefined,
};

let program = "";

beforeAll(async () => {
  const outDir = mkdtempSync(join(tmpdir(), "tillseal-pos-"));
  const output = { entryFileNames: "pos.mjs" };
  const ssr = join(PACKAGE_ROOT, "test", "support", "pos-program.ts");
  await build({ configFile: false, logLevel: "silent", build: { ssr, outDir, rolldownOptions: { output } } });
  program = join(outDir, "pos.mjs");
  return () => rmSync(outDir, { recursive: true });
});

async function rehearsed(act: string, ...variant: readonly string[]): Promise<{ failed: string[]; status: number }> {
  const options = { require: [], vsdc: false, drive: false, json: true };
  const { rows, status } = await rehearse({
    ...SILENT,
    ...options,
    command: [process.execPath, program, act, ...variant],
  });
  return { failed: rows.flatMap(({ id, outcome }) => (outcome === "failed" ? [id] : [])), status };
}

/** @returns names of the files that the POS does not meet */
async function unmet(act: string, files: readonly string[], ...variant: readonly string[]): Promise<string[]> {
  const paths = files.map((name) => `pos/${name}`);
  const judging = { reporter: "json", for: 30_000 } as const;
  const results = await expectOfPos({
    ...SILENT,
    ...judging,
    paths,
    command: [process.execPath, program, act, ...variant],
  });
  return results.flatMap(({ outcome }, i) => (outcome === "failed" ? [files[i] ?? ""] : []));
}

it("a right POS is green under both commands", async () => {
  expect(await rehearsed("day")).toEqual({ failed: [], status: 0 });
  for (const [act, files] of Object.entries(FILES)) expect(await unmet(act, files)).toEqual([]);
});

it("a POS that does nothing is green under none", async () => {
  await expect(rehearsed("nothing")).rejects.toThrow(UserError);
  const files = Object.values(FILES).flat();
  expect(await unmet("nothing", files)).toEqual(files);
});

it.each<[Mistake, rows: string[], act: string, files: string[]]>([
  ["no status", ["OPS-002-STATE"], "twice", ["labels-in-the-wrong-alphabet"]],
  ["no PIN", ["OPS-002-PIN"], "twice", ["card-changed"]],
  ["a new RequestId after a lost answer", ["FORB-001-LOST"], "twice", ["lost-answer"]],
  ["a new RequestId after an error", ["FORB-001-ERROR"], "twice", ["printed-without-an-answer", "card-not-reached"]],
  ["Latin letters as labels", ["TAX-001"], "twice", ["labels-in-the-wrong-alphabet"]],
  ["labels in the program", ["TAX-001"], "over midnight", ["labels-at-midnight"]],
  ["no number of the original", ["OPS-008"], "refund and copy", ["refund-names-its-original"]],
  ["the time of the POS on every invoice", ["POS-TIME"], "sale and advance", ["pos-time"]],
  ["an advance that is not named", ["OPS-009"], "sale and advance", ["advance-is-closed"]],
  ["a POS number with something appended", ["POS-NUMBER"], "twice", ["pos-number"]],
])("a POS with a mistake is accused of it, and of nothing else: %s", async (mistake, rows, act, files) => {
  expect(await rehearsed("day", mistake)).toEqual({ failed: rows, status: 1 });
  expect(await unmet(act, FILES[act] ?? [], mistake)).toEqual(files);
});

it.each<[Habit, files: readonly string[]]>([
  ["the receipt by its RequestId after a lost answer", ["lost-answer"]],
  ["a customer who leaves after 1999", ["printed-without-an-answer"]],
  ["a training sale in between", ["lost-answer"]],
  ["capital initials and numbers", ["lost-answer", "pos-number"]],
  ["null and empty fields", ["lost-answer", "card-not-reached"]],
  ["status only after a refusal", ["card-changed", "lost-answer"]],
])("an honest habit is accused of nothing: %s", async (habit, files) => {
  expect(await rehearsed("day", habit)).toEqual({ failed: [], status: 0 });
  expect(await unmet("twice", files, habit)).toEqual([]);
});

it("two cash desks that sell the same at the same time are accused of nothing", async () => {
  expect(await rehearsed("day of two cash desks")).toEqual({ failed: [], status: 0 });
  const files = ["lost-answer", "printed-without-an-answer", "card-not-reached"];
  expect(await unmet("two cash desks", files)).toEqual([]);
});
