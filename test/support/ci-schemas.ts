/**
 * Schemas of the two formats that no package can check offline, written from their public references: Azure DevOps' "YAML
 * schema reference for Azure Pipelines" and Jenkins' "Pipeline Syntax". They cover what docs/ci uses and refuse the rest, so
 * that a new key is looked up before it is used.
 */
import type { JsonSchema } from "../../src/schema/validator.js";

const TEXT = { type: "string", minLength: 1 };
const record = (properties: Record<string, object>, required: readonly string[] = []) => ({
  type: "object",
  additionalProperties: false,
  required,
  properties,
});

/** Inputs of a task, by its name and version. */
const task = (name: string, inputs: Record<string, object>, required: readonly string[]) =>
  record({ task: { const: name }, displayName: TEXT, condition: TEXT, inputs: record(inputs, required) }, [
    "task",
    "inputs",
  ]);

const AZURE_STEP = {
  anyOf: [
    record({ script: TEXT, displayName: TEXT, condition: TEXT, workingDirectory: TEXT }, ["script"]),
    task("UseNode@1", { version: TEXT, checkLatest: { type: "boolean" } }, ["version"]),
    task(
      "PublishTestResults@2",
      {
        testResultsFormat: { enum: ["JUnit", "NUnit", "VSTest", "XUnit", "CTest"] },
        testResultsFiles: TEXT,
        testRunTitle: TEXT,
        failTaskOnFailedTests: { type: "boolean" },
        failTaskOnMissingResultsFile: { type: "boolean" },
        mergeTestResults: { type: "boolean" },
      },
      ["testResultsFormat", "testResultsFiles"],
    ),
  ],
};

const AZURE_JOB = record(
  {
    job: { type: "string", pattern: "^[A-Za-z_]\\w*$" },
    displayName: TEXT,
    dependsOn: TEXT,
    strategy: record({ parallel: { type: "integer", minimum: 1 } }, ["parallel"]),
    steps: { type: "array", minItems: 1, items: AZURE_STEP },
  },
  ["job", "steps"],
);

export const AZURE_PIPELINE: JsonSchema = record(
  {
    trigger: { type: "array", items: TEXT },
    pool: record({ vmImage: { enum: ["ubuntu-latest", "windows-latest", "macos-latest"] } }, ["vmImage"]),
    jobs: { type: "array", minItems: 1, items: AZURE_JOB },
  },
  ["trigger", "pool", "jobs"],
);

/** A block of a declarative pipeline: its name, its argument, and the blocks and steps in it. */
export interface Block {
  readonly name: string;
  readonly argument: string;
  readonly blocks: readonly Block[];
}

/** What each block may and must contain. Other names are steps, which are allowed in `steps` and `post` only. */
const INSIDE: Readonly<Record<string, { readonly may: readonly string[]; readonly must: readonly string[] }>> = {
  "": { may: ["pipeline"], must: ["pipeline"] },
  pipeline: { may: ["agent", "environment", "options", "stages", "post"], must: ["agent", "stages"] },
  stages: { may: ["stage"], must: ["stage"] },
  stage: { may: ["agent", "environment", "options", "when", "steps", "stages", "matrix", "post"], must: [] },
  matrix: { may: ["agent", "axes", "excludes", "stages"], must: ["axes", "stages"] },
  axes: { may: ["axis"], must: ["axis"] },
  axis: { may: ["name", "values"], must: ["name", "values"] },
  agent: { may: ["docker", "label", "node"], must: [] },
  docker: { may: ["image", "args", "label"], must: ["image"] },
  post: { may: ["always", "failure", "success", "unsuccessful", "cleanup"], must: [] },
};

const STEPS = ["sh", "junit", "archiveArtifacts"];
const HOLDS_STEPS = ["steps", "always", "failure", "success", "unsuccessful", "cleanup"];

/** Parses the lines of a Jenkinsfile into blocks. @throws Error when braces do not match */
export function jenkinsBlocks(text: string): Block {
  interface Open extends Block {
    readonly blocks: Open[];
  }
  const root: Open = { name: "", argument: "", blocks: [] };
  const open = [root];
  for (const line of text.split("\n").map((raw) => raw.trim())) {
    if (line === "" || line.startsWith("//")) continue;
    const inline = /^(\w+) \{ (.*) \}$/.exec(line);
    const [, name = "", argument = "", brace] = /^(\w+) ?(.*?)(\{)?$/.exec(inline?.[1] ?? line) ?? [];
    if (line === "}") {
      if (open.length === 1) throw new Error("a brace too many");
      open.pop();
      continue;
    }
    const block: Open = { name, argument: argument.trim(), blocks: [] };
    open.at(-1)?.blocks.push(block);
    if (inline) {
      const [, word = "", rest = ""] = /^(\w+) ?(.*)$/.exec(inline[2] ?? "") ?? [];
      block.blocks.push({ name: word, argument: rest, blocks: [] });
    }
    if (brace) open.push(block);
  }
  if (open.length > 1) throw new Error(`${open.at(-1)?.name} is not closed`);
  return root;
}

/** @returns the problems, in words */
export function jenkinsFaults({ name, argument, blocks }: Block): string[] {
  if (name === "environment") return blocks.flatMap((one) => (one.argument.startsWith("= ") ? [] : [one.name]));
  if (HOLDS_STEPS.includes(name)) {
    const wrong = blocks.filter((step) => !STEPS.includes(step.name) || step.argument === "");
    return wrong.map((step) => `${step.name} is not a step of ${name}`);
  }
  const rules = INSIDE[name];
  if (!rules) return blocks.length === 0 ? [] : [`${name} holds nothing`];
  const names = blocks.map((one) => one.name);
  const strange = names.filter((one) => !rules.may.includes(one)).map((one) => `${one} does not belong in ${name}`);
  const missing = rules.must.filter((one) => !names.includes(one)).map((one) => `${name} has no ${one}`);
  const works = names.filter((one) => ["steps", "stages", "matrix"].includes(one)).length;
  if (name === "stage" && works !== 1) missing.push(`stage ${argument} has ${works} of steps, stages, matrix`);
  return [...strange, ...missing, ...blocks.flatMap(jenkinsFaults)];
}
