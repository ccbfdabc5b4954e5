/** Checks docs/ci with programs that know each CI's format, and runs the commands of those files in an empty project. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

const SHARDS = [1, 2, 3];

/** What each CI runs for a project: its commands with variables filled in, and the reports that it expects. */
function jobs() {
  const github = parse(read("github-actions.yaml")).jobs;
  const gitlab = parse(read("gitlab-ci.yaml"));
  const githubRuns = Object.values(github).flatMap(({ steps }) => steps.flatMap((step) => step.run ?? []));
  const gitlabRuns = [gitlab.default.before_script, gitlab.till.script, gitlab.scenarios.script].flat();
  return [
    { name: "GitHub", commands: githubRuns, report: github.scenarios.steps.at(-1).with.path },
    { name: "GitLab", commands: gitlabRuns, report: gitlab.scenarios.artifacts.reports.junit },
  ];
}

const NUMBER_OF_SHARD = /\$\{\{ matrix\.shard \}\}|\$CI_NODE_INDEX/g;
const NUMBER_OF_SHARDS = /\$CI_NODE_TOTAL/g;

/** @returns a command for each shard, or the one command */
function filled(command) {
  if (command.match(NUMBER_OF_SHARD) === null) return [command];
  const whole = command.replace(NUMBER_OF_SHARDS, String(SHARDS.length));
  return SHARDS.map((shard) => whole.replace(NUMBER_OF_SHARD, String(shard)));
}

/** A team's project: tests, scenarios, and tillseal from a tarball. */
async function makeProject(parent) {
  const project = join(parent, "till");
  const pack = ["pack", "--ignore-scripts", "--silent", "--pack-destination", parent];
  const { output } = await run("npm", pack, ROOT);
  const tarball = output.trim().split("\n").at(-1);
  mkdirSync(join(project, "scenarios"), { recursive: true });
  cpSync(join(ROOT, "test", "examples", "locked-card.test.mjs"), join(project, "till.test.mjs"));
  for (const situation of ["pin", "card"]) {
    cpSync(join(ROOT, "scenarios", situation), join(project, "scenarios", situation), { recursive: true });
  }
  const scripts = { test: "node --test" };
  const devDependencies = { tillseal: `file:../${tarball}` };
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, scripts, devDependencies }));
  return project;
}

/** Compiling the native library takes minutes, so it is taken from this checkout. */
function useCompiled(project) {
  for (const name of ["better-sqlite3", "better-sqlite3-node20"]) {
    const compiled = join(ROOT, "node_modules", name);
    if (existsSync(compiled)) cpSync(compiled, join(project, "node_modules", name), { recursive: true, force: true });
  }
}

/** Runs the shell step of action.yml as GitHub does: inputs in variables, and a file for the summary. */
async function runAction(project) {
  const { inputs, runs } = parse(readFileSync(join(ROOT, "action.yml"), "utf8"));
  const step = runs.steps.find(({ id }) => id === "play");
  const play = async (scenarios) => {
    const given = {
      ...Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.default])),
      scenarios,
    };
    const env = Object.entries(step.env).map(([name, value]) => [name, given[/inputs\.([\w-]+)/.exec(value)[1]]]);
    const summary = join(project, "summary.md");
    rmSync(summary, { force: true });
    const all = { ...Object.fromEntries(env), GITHUB_STEP_SUMMARY: summary };
    const { status, output } = await run(step.shell, ["-euo", "pipefail", "-c", step.run], project, all);
    return {
      status,
      output,
      summary: readFileSync(summary, "utf8"),
      report: readFileSync(join(project, given.report), "utf8"),
    };
  };
  const passed = await play("scenarios/pin");
  const isShown = /\d+ passed/.test(passed.summary) && passed.report.includes("<testcase");
  result("action.yml plays scenarios, and shows them in the summary", passed.status === 0 && isShown, passed.output);
  writeFileSync(join(project, "wrong.yaml"), "name: wrong\nsteps: [{ check: { pin: verified } }]\n");
  const failed = await play("wrong.yaml");
  result(
    "action.yml fails with a scenario that fails",
    failed.status === 1 && failed.summary.includes("1 failed"),
    failed.output,
  );
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
      for (const command of commands.flatMap(filled)) {
        // Identical commands of two CIs run once.
        if (done.has(command)) continue;
        done.add(command);
        const { status, output } = await run("bash", ["-euo", "pipefail", "-c", command], project, env);
        result(`${name}: ${command}`, status === 0, output);
        if (command.startsWith("npm ci")) useCompiled(project);
      }
      const reports = matching(report, project).map((file) => readFileSync(join(project, file), "utf8"));
      const isJunit = reports.length > 0 && reports.every((text) => /<testsuites[\s\S]*<testcase/.test(text));
      result(`${name}: the report is where the CI looks for it, and is JUnit`, isJunit, reports.join("\n"));
    }
    await runAction(project);
    result("the commands are all there", done.size >= 5, [...done].join("\n"));
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

export async function checkSnippets() {
  await checkGithub();
  await checkGitlab();
}
