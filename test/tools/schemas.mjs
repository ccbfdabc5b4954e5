/** Holds the OpenAPI documents to the linter of Redocly, and the Kubernetes jobs to the schema of their API. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { ROOT, result } from "./report.mjs";

const LINT = {
  extends: ["recommended-strict"],
  // `then` names properties of the schema around it, which this rule does not see.
  rules: { "no-required-schema-properties-undefined": "off" },
};

async function checkOpenApi() {
  const { createConfig, lintFromString } = await import("@redocly/openapi-core");
  const { createEmulator } = await import(join(ROOT, "dist", "harness", "testkit.js"));
  const problems = async (document) => {
    const config = await createConfig(structuredClone(LINT));
    const found = await lintFromString({ source: JSON.stringify(document), absoluteRef: "openapi.json", config });
    return found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location.map((at) => at.pointer)}`);
  };
  const emulator = await createEmulator();
  try {
    for (const address of [`${emulator.url}/openapi.json`, `${emulator.controlUrl}/control/openapi.json`]) {
      const document = await (await fetch(address)).json();
      const path = new URL(address).pathname;
      const complaints = await problems(document);
      result(`the OpenAPI document ${path} passes the linter`, complaints.length === 0, complaints.join("\n"));
      const broken = (await problems({ ...document, paths: { "/x": { get: { responses: {} } } } })).join("\n");
      result(`the OpenAPI document ${path} fails it when it is broken`, broken.includes("/paths/~1x/get"), broken);
    }
  } finally {
    await emulator.close();
  }
}

async function checkJobs() {
  const { Job } = await import("kubernetes-models/batch/v1");
  const complaintOf = (job) => {
    try {
      new Job(job).validate();
      return "";
    } catch (error) {
      return error.message;
    }
  };
  for (const file of ["scenarios-job.yaml", "pos-job.yaml"]) {
    const job = parse(readFileSync(join(ROOT, "deploy", "kubernetes", file), "utf8"));
    const complaint = complaintOf(job);
    result(`${file} follows the schema of batch/v1`, complaint === "", complaint);
    const wrong = complaintOf({ ...job, spec: { ...job.spec, completions: "four" } });
    result(`a spoilt ${file} does not`, wrong.includes("completions must be integer"), wrong);
  }
}

export async function checkSchemas() {
  await checkOpenApi();
  await checkJobs();
}
