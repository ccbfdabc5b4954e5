/** Texts from outside with many wrong values: each source has a limit, and the answer to the largest text is little work. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { YAMLSeq } from "yaml";
import { parseProfile } from "../../emulator/card/profile.js";
import { readGiven } from "../../emulator/world/given-file.js";
import { EMULATOR_LIMITS } from "../../emulator/world/limits.js";
import { readSnapshotFile } from "../../emulator/world/snapshot-file.js";
import { loadScenarios } from "../../harness/scenario/load.js";
import { readCommands } from "../../src/authority/answers.js";
import { contentOf } from "../../src/authority/command-content.js";
import { COMMAND_TYPE } from "../../src/authority/tax-authority.js";
import { parseEnvironment } from "../../src/config/environment.js";
import { loadConfig } from "../../src/config/load.js";
import { compileSchema, MOST_FILE_VALUES, MOST_VALUES } from "../../src/schema/validator.js";
import { temporaryFolder } from "../support/folder.js";

afterEach(() => vi.restoreAllMocks());

const zeros = (count: number): readonly number[] => Array(count).fill(0);
const group = (count: number) => ({
  groupId: 1,
  validFrom: "2026-01-01T00:00:00Z",
  taxCategories: [{ name: "V", categoryType: 0, orderId: 1, taxRates: zeros(count) }],
});
const command = (type: number, content: object) =>
  contentOf(
    { uid: "TESTCARD", commandId: "1", type, payload: JSON.stringify(content), receivedAt: 0, fromFile: true },
    undefined,
  );

function inFile(content: object): string {
  const file = join(temporaryFolder(), "content.yaml");
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const snapshotOf = (head: object) =>
  readSnapshotFile(gzipSync(`tillseal snapshot 2\n${JSON.stringify(head)}\nSQLite format 3\0`));

/** Reads a text with so many wrong values in it. */
type Source = readonly [limit: number, read: (values: number) => unknown];

const { scenarioValues, snapshotValues } = EMULATOR_LIMITS;
const SOURCES: Readonly<Record<string, Source>> = {
  "a command with rates": [MOST_FILE_VALUES, (count) => command(COMMAND_TYPE.taxRates, group(count))],
  "a command with groups": [MOST_FILE_VALUES, (count) => command(COMMAND_TYPE.taxRates, zeros(count))],
  "a command with parameters": [
    MOST_FILE_VALUES,
    (count) => command(COMMAND_TYPE.configuration, { supportedLanguages: zeros(count) }),
  ],
  "an environment file": [MOST_FILE_VALUES, (count) => parseEnvironment({ parameters: {}, taxRates: [group(count)] })],
  "a card's profile": [MOST_FILE_VALUES, (count) => parseProfile({ countedTypes: zeros(count) })],
  "a file with settings": [MOST_FILE_VALUES, (count) => loadConfig({ file: inFile({ languages: zeros(count) }) })],
  "a scenario": [scenarioValues.value, (count) => loadScenarios(inFile({ name: "x", steps: zeros(count) }))],
  "the given of a recording": [
    scenarioValues.value,
    (count) => readGiven(inFile({ given: { faults: zeros(count) }, steps: [] })),
  ],
  "a snapshot": [snapshotValues.value, (count) => snapshotOf({ faults: zeros(count) })],
};

const messageOf = async (read: () => unknown) => {
  try {
    await read();
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};

/** Runs a task. @returns how many entries of lists it has copied into longer lists */
async function copiedBy<T>(task: () => Promise<T>) {
  let copied = 0;
  const { concat } = Array.prototype;
  Array.prototype.concat = function (this: unknown[], ...more: unknown[][]) {
    copied += this.length;
    return concat.apply(this, more);
  };
  try {
    const result = await task();
    return { result, copied };
  } finally {
    Array.prototype.concat = concat;
  }
}

describe.each(Object.entries(SOURCES))("%s", (_name, [limit, read]) => {
  it("with more values than its limit is refused with the limit", async () => {
    expect(await messageOf(() => read(limit + 1))).toContain(`has more than ${limit} values`);
  });

  it("with as many wrong values as it may have gets at most 100 of them explained, in one pass over the errors", async () => {
    const lookedUp = vi.spyOn(YAMLSeq.prototype, "get");
    const { copied, result: message } = await copiedBy(() => messageOf(() => read(Math.min(limit - 100, 15_000))));
    expect(message).not.toContain("values");
    expect(message.split(/; |\n/).length).toBeLessThanOrEqual(101);
    expect(lookedUp.mock.calls.length).toBeLessThanOrEqual(200);
    expect(copied).toBeLessThan(100_000);
  });
});

const NAMES = Object.fromEntries(zeros(15_000).map((zero, i) => [`n${i}`, zero]));
const texts = { type: "array", items: { type: "string" } } as const;

it.each([
  ["a list", zeros(15_000), texts],
  ["a list of lists", [zeros(15_000), zeros(15_000)], { type: "array", items: texts }],
  ["unknown names", NAMES, { type: "object", additionalProperties: false }],
  ["wrong fields", NAMES, { type: "object", additionalProperties: { type: "string" } }],
  ["either of two lists", zeros(15_000), { anyOf: [texts, { type: "array", items: { type: "boolean" } }] }],
] as const)("a check of %s with thousands of wrong values fails after a few hundred of them", (_, value, schema) => {
  const check = compileSchema(schema, Number.POSITIVE_INFINITY);
  expect(check(value)).toBe(false);
  expect(check.errors?.length).toBeLessThan(300);
});

it("an answer of the authority and a file of a stick with more values than the limit are refused before they are parsed", () => {
  const parse = vi.spyOn(JSON, "parse");
  expect(() => readCommands(JSON.stringify(zeros(MOST_VALUES + 1)))).toThrow(`has more than ${MOST_VALUES} values`);
  const message = `has more than ${MOST_FILE_VALUES} values`;
  expect(() => command(COMMAND_TYPE.taxRates, zeros(MOST_FILE_VALUES + 1))).toThrow(message);
  expect(parse).not.toHaveBeenCalled();
});

it("a scenario's limit counts its values once for each of its cases", async () => {
  const cases = Array.from({ length: 500 }, (_, i) => ({ case: `c${i}` }));
  const file = inFile({ name: "x", cases, steps: zeros(scenarioValues.value / 500) });
  expect(await messageOf(() => loadScenarios(file))).toContain(`has more than ${scenarioValues.value} values`);
});
