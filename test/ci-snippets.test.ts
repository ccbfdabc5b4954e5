/** What a CI copies from docs/ci and deploy/kubernetes is read by that CI, and says only what the commands know. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type IIoK8sApiBatchV1Job, Job } from "kubernetes-models/batch/v1";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { PACKAGE_ROOT } from "../src/package-root.js";
import { tillseal } from "./support/command.js";

const read = (file: string) => readFileSync(join(PACKAGE_ROOT, file), "utf8");
const KUBERNETES = "deploy/kubernetes/scenarios-job.yaml";
const SNIPPETS = [
  "docs/ci/github-actions.yaml",
  "docs/ci/gitlab-ci.yaml",
  "docs/ci/Jenkinsfile",
  KUBERNETES,
  "docker/compose.yaml",
];

describe("the snippets for CI", () => {
  it.each(SNIPPETS)("%s calls scenario run with flags that it has", async (file) => {
    const { stdout: help } = await tillseal(["scenario", "run", "--help"]);
    const calls = [...read(file).matchAll(/tillseal scenario run[^\n]*(?:\n +--[^\n]*)*/g)].map(([call]) => call);
    expect(calls.length).toBeGreaterThan(0);
    for (const flag of calls.join(" ").match(/--[a-z-]+/g) ?? []) expect(help).toContain(flag);
    expect(calls.join(" ")).toMatch(/--shard .*--reporter junit/s);
  });

  it.each(SNIPPETS.filter((file) => file.endsWith(".yaml")))("%s is YAML without doubtful places", (file) => {
    expect(() => parse(read(file), { strict: true })).not.toThrow();
  });
});

describe("the Kubernetes job", () => {
  const job = parse(read(KUBERNETES)) as IIoK8sApiBatchV1Job;

  it("is what the schema of batch/v1 asks for", () => {
    expect(() => new Job(job).validate()).not.toThrow();
    const wrong = structuredClone(job) as { spec: { completions: unknown } };
    wrong.spec.completions = "four";
    expect(() => new Job(wrong as unknown as IIoK8sApiBatchV1Job).validate()).toThrow(/completions must be integer/);
  });

  it("plays each of its shards once", () => {
    const [container] = job.spec?.template.spec?.containers ?? [];
    const shards = Number(container?.env?.find(({ name }) => name === "SHARDS")?.value);
    expect([job.spec?.completionMode, job.spec?.completions, job.spec?.parallelism]).toEqual([
      "Indexed",
      shards,
      shards,
    ]);
  });
});
