/**
 * A till program with one mistake for each rule, and honest tills, under the two commands that judge a POS: both name
 * the same. vsdc-tools.test.ts judges a POS with both services.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it } from "vitest";
import type { Row } from "../../harness/scenario/row.js";
import { expectOfPos } from "../../harness/watch/expect.js";
import { rehearse } from "../../harness/watch/rehearse.js";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { DAYS, dayWith, HONEST, MISTAKES, NOTED, sellAt } from "../support/judged-till.js";

const SILENT = {
  port: 0,
  host: "localhost",
  stopped: new AbortController().signal,
  write: () => undefined,
  notice: (_: string): void => undefined,
};
const EXPECT = { paths: [""], reporter: "json" as const, stopped: SILENT.stopped };
type Act = () => Promise<unknown>;
/** Number of worlds at the same time. A command mostly waits. */
const AT_ONCE = 6;

interface Verdict {
  readonly failed: readonly string[];
  readonly notes: readonly string[];
}

type Verdicts = readonly [rehearsed: Verdict, expected?: Verdict];

const verdictOf = (rows: readonly Row[]): Verdict => ({
  failed: rows.flatMap(({ id, outcome, why }) => (outcome === "failed" ? [`${id}: ${why.wrong}`] : [])),
  notes: rows.flatMap(({ id, why: { note } }) => (note === undefined ? [] : [`${id}: ${note}`])),
});

/** Runs a command that watches a till in this process, which begins when the command names its addresses. */
async function watched<T>(act: Act, run: (options: typeof SILENT) => Promise<T>): Promise<T> {
  const stopped = new AbortController();
  const notice = (text: string) => {
    const [url, control] = [/POS at (\S+);/, /interface: (\S+)\/control/].map((pattern) => pattern.exec(text)?.[1]);
    if (url !== undefined && control !== undefined)
      void sellAt({ url, controlUrl: control }, act).finally(() => stopped.abort());
  };
  return run({ ...SILENT, stopped: stopped.signal, notice });
}

/** @param both whether the second command judges the till, too; one function judges for both */
async function judged(act: Act, both: boolean): Promise<Verdicts> {
  const rehearsed = await watched(act, (options) => rehearse({ ...options, command: [], json: true }));
  if (!both) return [verdictOf(rehearsed.rows)];
  const expected = await watched(act, (options) => expectOfPos({ ...options, ...EXPECT, command: [] }));
  return [verdictOf(rehearsed.rows), verdictOf(expected)];
}

/** What both commands say of a program that they run. */
async function judgedInPython(name: string): Promise<Verdicts> {
  const command = ["python3", join(PACKAGE_ROOT, "test", "support", "judged-till.py"), name];
  const { rows } = await rehearse({ ...SILENT, command, json: true });
  return [verdictOf(rows), verdictOf(await expectOfPos({ ...SILENT, ...EXPECT, command }))];
}

type Case = readonly [name: string, row: string, judge: () => Promise<Verdicts>];
type Tables = Readonly<Record<string, Readonly<Record<string, Act>>>>;

/** Both commands judge the first till of each row, and each honest one. */
const casesOf = (tables: Tables, around = (act: Act) => act): Case[] =>
  Object.entries(tables).flatMap(([row, acts]) =>
    Object.entries(acts).map(
      ([name, act], n): Case => [name, row, () => judged(around(act), n === 0 || acts === HONEST)],
    ),
  );
const inPython = ([name, row]: readonly [string, string]): Case => [
  `${name}, in Python`,
  row,
  () => judgedInPython(name),
];

const WRONG: readonly Case[] = [
  ...casesOf(DAYS),
  ...casesOf(MISTAKES, dayWith),
  ...(
    [
      ["a POS number with something appended", "POS-NUMBER"],
      ["a new RequestId after a lost answer", "FORB-001-LOST"],
      ["a UUID with hyphens", "REFUSED"],
      ["the time of the POS", "POS-TIME"],
    ] as const
  ).map(inPython),
];
const DOUBTFUL: readonly Case[] = [...casesOf(NOTED, dayWith), inPython(["tails of doubles", "CAT-005"])];
const RIGHT = casesOf({ "": HONEST }, dayWith);

const verdicts = new Map<string, Verdicts>();

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "tillseal-test-"));
  EXPECT.paths = [join(folder, "day.yaml")];
  const expectation = "expect: [{ sent: { path: /api/v3/attention } }]";
  writeFileSync(EXPECT.paths[0] ?? "", `name: A day\ngiven: { authority: {} }\n${expectation}\n`);
  const next = [...WRONG, ...DOUBTFUL, ...RIGHT].values();
  const work = async () => {
    for (const [name, , judge] of next) verdicts.set(name, await judge());
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return () => rmSync(folder, { recursive: true });
}, 240_000);

const begins = (row: string) => expect.stringMatching(new RegExp(`^${row}: `)) as string;

it.each(WRONG)("each command accuses a till of one mistake: %s", (name, row) => {
  const failed = verdicts.get(name)?.map((verdict) => verdict?.failed);
  expect(failed).toEqual(failed?.map(() => [begins(row)]));
  expect(failed?.length).toBeGreaterThan(0);
});

it.each(DOUBTFUL)("each command notes what a till may do: %s", (name, row) => {
  const verdict = { failed: [], notes: [begins(row)] };
  const both = verdicts.get(name);
  expect(both).toEqual(both?.map(() => verdict));
  expect(both?.length).toBeGreaterThan(0);
});

it.each(RIGHT)("both commands accuse an honest till of nothing: %s", (name) => {
  const verdict = { failed: [], notes: name.startsWith("an impatient client") ? [begins("FORB-001-LOST")] : [] };
  expect(verdicts.get(name)).toEqual([verdict, verdict]);
});
