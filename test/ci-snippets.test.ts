/**
 * The files that people copy from docs/ci and deploy/kubernetes are valid for their CI and use only existing flags.
 * test/tools/run.mjs checks them with the programs of GitHub and GitLab and the schema of Kubernetes, and runs their commands.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { PACKAGE_ROOT } from "../src/base/package-root.js";
import { tillseal } from "./support/command.js";

const read = (file: string) => readFileSync(join(PACKAGE_ROOT, file), "utf8");
const KUBERNETES = "deploy/kubernetes/scenarios-job.yaml";
const POS_JOB = "deploy/kubernetes/pos-job.yaml";
const SNIPPETS: readonly (readonly [file: string, ...commands: string[]])[] = [
  ["docs/ci/github-actions.yaml", "rehearse"],
  ["docs/ci/gitlab-ci.yaml", "rehearse"],
  ["docs/ci/github-actions-image.yaml", "rehearse"],
  ["docs/ci/gitlab-ci-image.yaml", "rehearse"],
  ["docker/compose.yaml", "rehearse", "scenario run"],
  ["action.yml", "rehearse", "scenario run"],
  [POS_JOB, "rehearse"],
  [KUBERNETES, "scenario run"],
];

it.each(SNIPPETS)("the snippet for CI %s calls its commands with existing flags", async (file, ...commands) => {
  for (const command of commands) {
    const { stdout: help } = await tillseal([...command.split(" "), "--help"]);
    const call = new RegExp(`\\b${command}[ ,][^\\n]*(?:\\n +--[^\\n]*)*`, "g");
    const calls = [...read(file).matchAll(call)]
      .map(([text]) => text.split(" -- ")[0])
      .filter((text) => text?.includes("--"));
    expect(calls.length).toBeGreaterThan(0);
    for (const flag of calls.join(" ").match(/--[a-z-]+/g) ?? []) expect(help).toContain(flag);
  }
});

it.each(SNIPPETS.map(([file]) => file))("the snippet for CI %s is YAML without ambiguous values", (file) => {
  expect(() => parse(read(file), { strict: true })).not.toThrow();
});

interface Workflow {
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, { readonly steps: readonly { readonly uses?: string; readonly with?: object }[] }>;
}
const { permissions, jobs } = parse(read("docs/ci/github-actions.yaml")) as Workflow;

it("the file for GitHub asks for read access only, sets Node up, and shows the report in the summary", () => {
  expect(permissions).toEqual({ contents: "read" });
  for (const { steps } of Object.values(jobs)) {
    expect(steps).toContainEqual(expect.objectContaining({ uses: expect.stringMatching(/^actions\/setup-node@v\d/) }));
  }
  expect(jobs.till?.steps).toContainEqual(
    expect.objectContaining({ uses: "test-summary/action@v2", if: "always()", with: { paths: "report.xml" } }),
  );
});

interface Container {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}
interface Job {
  readonly spec: {
    readonly completionMode?: string;
    readonly completions?: number;
    readonly parallelism?: number;
    readonly template: {
      readonly spec: { readonly containers: readonly Container[]; readonly initContainers?: readonly Container[] };
    };
  };
}

it("the Kubernetes job for a POS runs its emulator beside the tests", () => {
  const { initContainers = [], containers } = (parse(read(POS_JOB)) as Job).spec.template.spec;
  expect(initContainers.map(({ name, restartPolicy }) => [name, restartPolicy])).toEqual([
    ["emulator", "Always"],
    ["pos", undefined],
  ]);
  expect(containers.map(({ name }) => name)).toEqual(["rehearse"]);
});

it("the Kubernetes job plays each of its shards once", () => {
  const { spec } = parse(read(KUBERNETES)) as Job;
  const [container] = spec.template.spec.containers;
  const shards = Number(container?.env?.find(({ name }) => name === "SHARDS")?.value);
  const played = Array.from({ length: shards }, (_, index) => {
    const env = { JOB_COMPLETION_INDEX: String(index), SHARDS: String(shards) };
    const line = execFileSync("sh", ["-c", String(container?.args).replace("exec tillseal", "echo")], { env });
    return /--shard (\S+)/.exec(String(line))?.[1];
  });
  expect(played).toEqual(["1/4", "2/4", "3/4", "4/4"]);
  expect([spec.completionMode, spec.completions, spec.parallelism]).toEqual(["Indexed", shards, shards]);
});

it("the page shows each input and output of the action, and its workflow uses existing ones", () => {
  const { inputs, outputs } = parse(read("action.yml")) as Record<"inputs" | "outputs", Record<string, unknown>>;
  const [, section = ""] = read("docs/ci/README.md").split("## With the action");
  const rows = [...section.matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(Object.keys(inputs));
  for (const name of Object.keys(outputs)) expect(section).toContain(`\`${name}\``);
  const { jobs } = parse(read("docs/ci/github-actions-action.yaml")) as Workflow;
  const used = jobs.till?.steps.find(({ uses }) => uses === "./.tillseal");
  expect(Object.keys(inputs)).toEqual(expect.arrayContaining(Object.keys(used?.with ?? {})));
  const named = [...read("docs/ci/github-actions-action.yaml").matchAll(/steps\.till\.outputs\.([\w-]+)/g)];
  expect(Object.keys(outputs)).toEqual(expect.arrayContaining(named.map(([, name]) => name)));
});

it.each(readdirSync(join(PACKAGE_ROOT, "docs", "ci")))(
  "docs/ci/%s installs nothing under a name that may be a stranger's",
  (name) => {
    expect(read(`docs/ci/${name}`)).not.toMatch(/tillseal@\d|npx (?!--no )|npm i(?:nstall)? /);
  },
);

it("this repository's workflow runs each suite of test/run.mjs", () => {
  const [, suites = ""] = /const SUITES = \{([^}]*)\}/.exec(read("test/run.mjs")) ?? [];
  const names = [...suites.matchAll(/^ +(\w+): \[/gm)].map(([, name]) => name);
  const { jobs } = parse(read(".github/workflows/tests.yaml")) as {
    jobs: { fast: { steps: { run?: string }[] }; suite: { strategy: { matrix: { suite: string[] } } } };
  };
  expect(jobs.fast.steps.at(-1)?.run).toContain("npm test");
  expect(["main", ...jobs.suite.strategy.matrix.suite].toSorted()).toEqual(names.toSorted());
});
