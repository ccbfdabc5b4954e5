/** What the build prepares equals its source and saves the work at start. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { compileNow, type JsonSchema, loadPrepared, sourceOf } from "../../src/schema/compiler.js";
import { compileSchema } from "../../src/schema/validator.js";
import { environmentWith } from "../support/environment.js";
import { exampleOf } from "../support/example.js";

/** The first letters of a schema identify it. */
const nameOf = (schema: JsonSchema) => sourceOf(schema).slice(0, 80);

describe("a prepared schema", () => {
  let knownSchemas: () => readonly JsonSchema[];
  beforeAll(async () => {
    // Loaded again: other test files of this worker have compiled schemas too.
    vi.resetModules();
    ({ knownSchemas } = await import("../../src/schema/validator.js"));
    await import("../../src/service/service.js");
    await import("../../build/prepare-emulator.js");
  });

  it("a prepared schema exists for everything that is checked", () => {
    expect(knownSchemas().length).toBeGreaterThan(20);
    const missing = knownSchemas().filter((schema) => loadPrepared(schema) === undefined);
    expect(missing.map(nameOf)).toEqual([]);
  });

  it("a prepared schema compares no objects, because ajv calls what their key toString has", () => {
    const lists = JSON.stringify(knownSchemas()).match(/\{[^{}]*"items":\{[^{}]*\}[^{}]*"uniqueItems":true/g) ?? [];
    expect(lists.length).toBeGreaterThan(1);
    for (const list of lists) expect(list).toMatch(/"items":\{[^}]*"type":"string"/);
  });

  it("a prepared schema finds the same errors as ajv, with the same words, and fills in the same defaults", () => {
    for (const schema of knownSchemas()) {
      const [prepared, compiled] = [loadPrepared(schema), compileNow(schema)];
      if (!prepared) throw new Error(`${nameOf(schema)} was not prepared`);
      fc.assert(
        fc.property(exampleOf(schema), (value) => {
          const [left, right] = [structuredClone(value), structuredClone(value)];
          expect([prepared(left), prepared.errors]).toEqual([compiled(right), compiled.errors]);
          expect(left).toEqual(right);
        }),
        { numRuns: 10 },
      );
    }
  });
});

const preload = ["--require", join(PACKAGE_ROOT, "test", "support", "report-loaded.cjs")];
const run = (...args: string[]) =>
  promisify(execFile)(process.execPath, [...preload, ...args], { env: environmentWith() });

it("the built package checks settings, cards, scenarios, requests and answers and reads cards without loading ajv or node-forge", async () => {
  const played = await run(join(PACKAGE_ROOT, "dist", "src", "cli.js"), "scenario", "run", "card/removed-and-inserted");
  expect([played.stderr, played.stdout]).toEqual(["", expect.stringContaining("0 failed")]);
  const { stdout, stderr } = await run(join(PACKAGE_ROOT, "test", "support", "emulator-at-work.mjs"));
  expect([stderr, stdout]).toEqual(["", "400\n"]);
});

it("the built package uses ajv for a schema that was not prepared", () => {
  const check = compileSchema({ type: "object", required: ["not prepared"] });
  expect([check({}), check.errors?.[0]?.message]).toEqual([false, "must have required property 'not prepared'"]);
});
