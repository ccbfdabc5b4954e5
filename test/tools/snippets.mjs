/** Checks docs/ci with programs that know each CI's format, and runs the commands of those files in an empty project. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "vite";
import { parse } from "yaml";
import { ROOT, result, run, TOOLS } from "./report.mjs";

const FOLDER = join(ROOT, "docs", "ci");
const read = (file) => readFileSync(join(FOLDER, file), "utf8");
const program = (path) => createRequire(import.meta.url).resolve(path);

/** @param glob a pattern in which `*` is any part of a name @returns the matching names */
function matching(glob, where) {
  const pattern = new RegExp(`^${glob.replaceAll(".", "\\.").replaceAll("*", ".*")}$`);
  return readdirSync(where).filter((name) => pattern.test(name));
}

const folder = (name) => mkdtempSync(join(tmpdir(), `tillseal-${name}-`));

/** GitHub's parser imports JSON as bundlers allow and Node does not. */
async function loadParser(out) {
  const entry = join(TOOLS, "node_modules", "@actions", "workflow-parser", "dist", "index.js");
  const options = { configFile: false, logLevel: "error", ssr: { noExternal: true } };
  await build({
    ...options,
    build: { ssr: entry, outDir: out, rollupOptions: { output: { entryFileNames: "p.mjs" } } },
  });
  return import(pathToFileURL(join(out, "p.mjs")).href);
}

/** @returns GitHub's errors for a workflow */
async function githubErrors({ parseWorkflow, convertWorkflowTemplate, NoOperationTraceWriter }, content) {
  const { context, value } = parseWorkflow({ name: "till.yaml", content }, new NoOperationTraceWriter());
  const errors = () => context.errors.getErrors().map(({ message }) => message);
  if (errors().length > 0 || !value) return errors();
  await convertWorkflowTemplate(context, value);
  return errors();
}

async function checkGithub() {
  const out = folder("parser");
  try {
    const parser = await loadParser(out);
    const own = join(ROOT, ".github", "workflows");
    const files = [
      ...matching("github-*.yaml", FOLDER).map((name) => join(FOLDER, name)),
      ...readdirSync(own).map((name) => join(own, name)),
    ];
    for (const path of files) {
      const file = path.slice(ROOT.length + 1);
      const content = readFileSync(path, "utf8");
      const errors = await githubErrors(parser, content);
      result(`GitHub reads ${file}`, errors.length === 0, errors.join("\n"));
      const spoilt = [content.replace("runs-on", "runs-at"), content.replace("contents: read", "contents: some")];
      for (const wrong of spoilt) {
        result(`GitHub refuses a spoilt ${file}`, (await githubErrors(parser, wrong)).length > 0, wrong);
      }
    }
  } finally {
    rmSync(out, { recursive: true });
  }
}

/** gitlab-ci-local includes GitLab's own schema, and works only in a git repository. */
async function gitlabReads(content) {
  const project = folder("gitlab");
  try {
    writeFileSync(join(project, ".gitlab-ci.yml"), content);
    await run("git", ["init", "--quiet", "--initial-branch", "main"], project);
    await run("git", ["remote", "add", "origin", "https://gitlab.example/shop/till.git"], project);
    const env = { HOME: project, GIT_CONFIG_GLOBAL: "/dev/null" };
    return await run(process.execPath, [program("gitlab-ci-local/src/index.js"), "--list-json"], project, env);
  } finally {
    rmSync(project, { recursive: true });
  }
}

async function checkGitlab() {
  for (const file of matching("gitlab-*.yaml", FOLDER)) {
    const content = read(file);
    const { status, output } = await gitlabReads(content);
    result(`GitLab's schema allows ${file}`, status === 0 && output.includes('"till"'), output);
    const spoilt = await gitlabReads(content.replace("  script:", "  scripts:"));
    result(`GitLab's schema refuses a spoilt ${file}`, spoilt.status !== 0, spoilt.output);
  }
}

/** What each CI runs for a project, and the reports that it expects. */
function jobs() {
  const github = parse(read("github-actions.yaml")).jobs.till.steps;
  const gitlab = parse(read("gitlab-ci.yaml")).till;
  return [
    { name: "GitHub", commands: github.flatMap(({ run }) => run ?? []), report: github.at(-1).with.path },
    { name: "GitLab", commands: gitlab.script, report: gitlab.artifacts.reports.junit },
  ];
}

/** A POS and its test in one: it sells at the emulator that it is told of. */
const POS = `import assert from "node:assert/strict";
import { test } from "node:test";
const call = (path, init) => fetch(process.env.TILLSEAL_URL + "/api/v3" + path, init);
test("the POS sells", async () => {
  await call("/status");
  await call("/pin", { method: "POST", headers: { "Content-Type": "text/plain" }, body: "1234" });
  const invoice = {
    invoiceType: "Normal", transactionType: "Sale", payment: [{ amount: 100, paymentType: "Cash" }],
    items: [{ name: "Coffee", quantity: 1, unitPrice: 100, labels: ["A"], totalAmount: 100 }],
  };
  const headers = { "Content-Type": "application/json", RequestId: "order-1" };
  assert.equal((await call("/invoices", { method: "POST", headers, body: JSON.stringify(invoice) })).status, 200);
});
`;

/** A team's project: a test, and tillseal from a tarball. It has no folder of scenarios. */
async function makeProject(parent) {
  const project = join(parent, "till");
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", parent];
  const { output } = await run("npm", pack, ROOT);
  const tarball = output.trim().split("\n").at(-1);
  mkdirSync(project);
  writeFileSync(join(project, "till.test.mjs"), POS);
  const scripts = { test: "node --test" };
  const devDependencies = { tillseal: `file:../${tarball}` };
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, scripts, devDependencies }));
  return project;
}

/** Runs the shell step of action.yml as GitHub does: inputs in variables, and a file for the summary. */
async function runAction(project) {
  const { inputs, runs } = parse(readFileSync(join(ROOT, "action.yml"), "utf8"));
  const step = runs.steps.find(({ id }) => id === "play");
  const play = async (chosen) => {
    const defaults = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default]));
    // The project has the package. The action itself would make one for a newer Node.
    const given = { ...defaults, package: "tillseal", ...chosen };
    const env = Object.entries(step.env).map(([name, value]) => [name, given[/inputs\.([\w-]+)/.exec(value)[1]]]);
    const summary = join(project, "summary.md");
    for (const file of matching("*.xml", project)) rmSync(join(project, file));
    rmSync(summary, { force: true });
    const all = { ...Object.fromEntries(env), GITHUB_STEP_SUMMARY: summary, GITHUB_OUTPUT: `${summary}.outputs` };
    const { status, output } = await run(step.shell, ["-euo", "pipefail", "-c", step.run], project, all);
    const reports = matching("*.xml", project).map((file) => readFileSync(join(project, file), "utf8"));
    return { status, output, summary: readFileSync(summary, "utf8"), reports };
  };
  const folder = join(project, "my scenarios");
  cpSync(join(ROOT, "scenarios", "pin"), folder, { recursive: true });
  const both = await play({ run: "npm test", scenarios: "my scenarios\ncard/no-card\n" });
  const isJunit = both.reports.length === 2 && both.reports.every((text) => text.includes("<testcase"));
  result(
    "action.yml tests a POS, plays a folder with a blank and every line, and shows both in the summary",
    both.status === 0 && isJunit && /passed +COND-LOCAL[\s\S]*[1-9]\d* passed, 0 failed\n/.test(both.summary),
    both.output,
  );
  const nested = await play({ run: "npm test", report: "out/reports/till.xml" });
  const outputs = readFileSync(join(project, "summary.md.outputs"), "utf8");
  result(
    "action.yml makes the folder of its report, and names the report as an output",
    nested.status === 0 && outputs.endsWith("pos-report=out/reports/pos-till.xml\n"),
    nested.output + outputs,
  );
  writeFileSync(join(project, "wrong.yaml"), "name: wrong\nsteps: [{ check: { pin: verified } }]\n");
  const failures = [
    ["with a scenario that fails", { scenarios: "wrong.yaml" }, 1, "1 failed"],
    ["with a POS whose tests fail", { run: "exit 4" }, 3, "the POS sent nothing"],
    ["with a POS that prints a fence", { run: "echo '```'; exit 4" }, 3, "\n    ```\n"],
    ["with a package that does not exist", { scenarios: "pin", package: "./none.tgz" }, undefined, "none.tgz"],
    ["without tests and scenarios", {}, 2, "set the input run"],
  ];
  for (const [what, chosen, status, text] of failures) {
    const failed = await play(chosen);
    const isRight = failed.status !== 0 && (status === undefined || failed.status === status);
    result(`action.yml fails ${what}, and says why`, isRight && failed.summary.includes(text), failed.output);
  }
}

export async function runSnippets() {
  const parent = folder("ci");
  const env = { npm_config_ignore_scripts: "true", npm_config_prefer_offline: "true", npm_config_loglevel: "error" };
  try {
    const project = await makeProject(parent);
    const lock = await run("npm", ["install", "--package-lock-only", "--no-audit"], project, env);
    result("a project has a lock file with tillseal", lock.status === 0, lock.output);
    const done = new Set();
    for (const { name, commands, report } of jobs()) {
      for (const command of commands) {
        // Identical commands of two CIs run once.
        if (done.has(command)) continue;
        done.add(command);
        const { status, output } = await run("bash", ["-euo", "pipefail", "-c", command], project, env);
        result(`${name}: ${command}`, status === 0, output);
      }
      const reports = matching(report, project).map((file) => readFileSync(join(project, file), "utf8"));
      const isJunit = reports.length > 0 && reports.every((text) => /<testsuites[\s\S]*<testcase/.test(text));
      result(`${name}: the report is where the CI looks for it, and is JUnit`, isJunit, reports.join("\n"));
    }
    await runAction(project);
    result("the commands are all there", done.size >= 2, [...done].join("\n"));
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

export async function checkSnippets() {
  await checkGithub();
  await checkGitlab();
}
