/** Reads and checks scenario files, and splits them into cases. An error names file, line, column and what was expected. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ErrorObject } from "ajv";
import { type Document, isCollection, isNode, LineCounter, parseDocument } from "yaml";
import { requireMatchers } from "../../emulator/faults/match.js";
import { SHIPPED_SCENARIOS } from "../../emulator/world/given-file.js";
import { EMULATOR_LIMITS } from "../../emulator/world/limits.js";
import { substitute, unresolvedPlace } from "../../emulator/world/substitute.js";
import { didYouMean } from "../../src/base/did-you-mean.js";
import { forwardSlashes } from "../../src/base/forward-slashes.js";
import type { ValuePath } from "../../src/base/wrong-value.js";
import { at, ConfigError } from "../../src/config/config-error.js";
import { namedFile, readText, yamlProblem } from "../../src/config/read-file.js";
import { compileSchema, hasMoreValues, wrongIn } from "../../src/schema/validator.js";
import { fieldsOf } from "./json.js";
import {
  type Expectation,
  type FilePlace,
  isWorldStep,
  loadedStep,
  type RequestExpectation,
  type Scenario,
  type WrittenStep,
} from "./scenario.js";
import { SCENARIO_SCHEMA } from "./schema.js";

interface ScenarioFile
  extends Pick<Scenario, "name" | "about" | "todo" | "serbian" | "expect">,
    Partial<Pick<Scenario, "tags" | "rows" | "given">> {
  readonly cases?: readonly Case[];
  readonly steps?: readonly WrittenStep[];
}

const { scenarioValues } = EMULATOR_LIMITS;
const validate = compileSchema<ScenarioFile>(SCENARIO_SCHEMA, scenarioValues.value);

/**
 * Finds all scenario files below the paths. The files of a folder are sorted by name.
 * @param paths files, folders, or names of shipped files and folders, such as `pin/card-locked` and `pin`
 * @throws ConfigError if a path does not exist
 */
export function scenarioFiles(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const place = located(path);
    if (!statSync(place).isDirectory()) return [place];
    return readdirSync(place, { recursive: true, encoding: "utf8" })
      .filter((name) => /\.ya?ml$/.test(name) && !HIDDEN.test(name))
      .sort()
      .map((name) => forwardSlashes(join(place, name)));
  });
}

/**
 * Matches the path of a hidden file or folder: a name in it begins with a dot. We skip these files, because Kubernetes
 * mounts a ConfigMap with links: `a.yaml` leads to `..data/a.yaml`, and `..data` leads to the folder
 * `..2026_11_21_10_00_00.123`. Without this rule we would find each file twice.
 */
const HIDDEN = /(^|[\\/])\./;

/** Finds a file, a folder or a shipped scenario. @throws ConfigError if the path does not exist */
function located(path: string): string {
  if (path === "")
    throw new ConfigError("a path is empty; expected a file, a folder, or the name of a shipped scenario");
  if (existsSync(path)) return path;
  const shipped = join(SHIPPED_SCENARIOS, path);
  return existsSync(shipped) ? shipped : namedFile("scenario", path, SHIPPED_SCENARIOS);
}

/** Reads the scenarios of a file: one for each of its cases, or one without cases. @throws ConfigError */
export function loadScenarios(file: string): Scenario[] {
  const text = readText(file);
  const counter = new LineCounter();
  const document = parseDocument(text, { lineCounter: counter, merge: true });
  const content = contentOf(document, file);
  // Say nothing about the content of a file that is no scenario: it may be secret, and an agent may name any file.
  if (!["given", "steps", "expect"].some((part) => part in fieldsOf(content)))
    throw new ConfigError(`${file}: is not a scenario: it has no given, no steps and no expect`);
  const cases = casesOf(content);
  if (hasMoreValues(content, scenarioValues.value / cases.length))
    throw new ConfigError(`${file}: ${scenarioValues.sentence}`);
  const placeOf = (path: ValuePath) => placeIn(document, counter, path);
  const placeText = (path: ValuePath) => {
    const { line, column } = placeOf(path);
    return `${file}:${line}:${column}`;
  };
  return cases.map((values) => {
    const filled = withValues(content, values);
    refuseUnresolved(fieldsOf(filled).given, values, placeText);
    if (!validate(filled)) throw new ConfigError(explain(validate.errors ?? [], placeText));
    const { name, serbian, tags = [], rows = [], given = {}, steps = [], cases: _, ...others } = filled;
    const { expect } = others;
    const list = expect ? "expect" : "steps";
    for (const [i, expectation] of (expect ?? []).entries()) {
      requireUsable(expectation, placeText(["expect", i]));
    }
    return {
      ...others,
      file,
      name: values.case === undefined ? name : `${name}: ${values.case}`,
      ...(serbian && {
        serbian: values.case === undefined ? serbian : { name: `${serbian.name}: ${values.serbian ?? values.case}` },
      }),
      tags: [...tags, ...((values.tags as readonly string[] | undefined) ?? [])],
      rows,
      given,
      steps: steps.map(loadedStep),
      lines: (expect ?? steps).map((_, i) => placeOf([list, i]).line),
      placeOf,
    };
  });
}

/** Converts the YAML document to plain values. @throws ConfigError if the file is not valid YAML */
function contentOf(document: Document, file: string): unknown {
  const [broken] = document.errors;
  if (broken) throw new ConfigError(yamlProblem(file, broken));
  try {
    return document.toJS();
  } catch (error) {
    // The YAML library throws an error for aliases that would fill the memory.
    throw new ConfigError(yamlProblem(file, error));
  }
}

type Case = Readonly<Record<string, unknown>>;
/** Writes file, line and column of a value for an error. */
type PlaceText = (path: ValuePath) => string;

/** Returns the cases that are objects; the schema reports the others. Without cases: one case without values. */
function casesOf(content: unknown): readonly Case[] {
  const { cases } = fieldsOf(content);
  const usable = Array.isArray(cases) ? cases.filter((one) => typeof one === "object" && one !== null) : [];
  return usable.length === 0 ? [{}] : (usable as Case[]);
}

/** Inserts a case's values before the schema checks the file, so that `${counter}` can be a number. */
function withValues(content: unknown, values: Case): unknown {
  if (typeof content !== "object" || content === null) return content;
  const filled = (key: string, value: unknown) =>
    /^(given|steps|expect)$/.test(key) ? substitute(value, values) : value;
  return Object.fromEntries(Object.entries(content).map(([key, value]) => [key, filled(key, value)]));
}

/** Refuses an expectation that would never match: by its matchers, or by a `${name}` that no earlier request gives. @throws ConfigError */
function requireUsable(expectation: Expectation, place: string): void {
  at(place, () => requireMatchers(expectation));
  const known: string[] = [];
  for (const { capture = {}, ...filters } of entriesOf(expectation)) {
    const name = unresolvedPlace(substitute(filters, Object.fromEntries(known.map((one) => [one, ""]))))?.name;
    if (name !== undefined) {
      const available = known.length === 0 ? "no earlier request captures a value" : `captured are ${known.join(", ")}`;
      throw new ConfigError(`${place}: nothing gives \${${name}}; ${available}${didYouMean(name, known)}`);
    }
    known.push(...Object.keys(capture));
  }
}

const entriesOf = (expectation: Expectation): readonly RequestExpectation[] =>
  "inOrder" in expectation ? expectation.inOrder.flatMap((entry) => (isWorldStep(entry) ? [] : entry)) : [expectation];

/**
 * Refuses a variable in `given` that no case gives. No capture can give it, because the world is made before the first
 * step.
 * @throws ConfigError
 */
function refuseUnresolved(given: unknown, values: Case, placeText: PlaceText): void {
  const unresolved = unresolvedPlace(given, ["given"]);
  if (!unresolved) return;
  const { name, path } = unresolved;
  const names = Object.keys(values).filter((key) => key !== "case" && key !== "tags");
  const available = names.length === 0 ? "there are no values of cases" : `the cases give ${names.join(", ")}`;
  throw new ConfigError(
    `${placeText(path)}: given uses \${${name}}, which no case gives; ${available}${didYouMean(name, names)}`,
  );
}

const EXPECTED = "x-expected";

/** Writes one line for each fault. It leaves out faults that only follow from another fault. */
function explain(errors: readonly ErrorObject[], placeText: PlaceText): string {
  // One sentence names the kinds of steps, not one line for each kind.
  const isUnnamed = ({ keyword, parentSchema }: ErrorObject) => keyword === "oneOf" && EXPECTED in (parentSchema ?? {});
  const unnamed = new Set(errors.filter(isUnnamed).map(({ instancePath }) => instancePath));
  const known = errors.filter(
    ({ schemaPath, instancePath }) => !schemaPath.includes("/oneOf/") || !unnamed.has(instancePath),
  );
  const telling = known.filter(({ keyword }) => keyword !== "anyOf" && keyword !== "oneOf" && keyword !== "if");
  return wrongIn(telling.length > 0 ? telling : known, undefined, "names")
    .map(({ path, says }) => `${placeText(path)}: ${says}`)
    .join("\n");
}

/** Where a value stands in the file, or the nearest value around it. Walks along the path once. */
function placeIn(document: Document, counter: LineCounter, path: ValuePath): FilePlace {
  let node: unknown = document.contents;
  let offset = 0;
  for (const part of [...path, undefined]) {
    if (!isNode(node) || !node.range) break;
    offset = node.range[0];
    node = isCollection(node) ? node.get(part, true) : undefined;
  }
  const { line, col: column } = counter.linePos(offset);
  return { line, column };
}
