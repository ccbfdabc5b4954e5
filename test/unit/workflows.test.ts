/** The workflows of the public CI. `test/tools/run.mjs` checks their form. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";
import { temporaryFolder } from "../support/folder.js";

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly run?: string;
  readonly uses?: string;
}
interface Job {
  readonly if?: string;
  readonly strategy?: { readonly matrix?: object };
  readonly needs?: string | readonly string[];
  readonly environment?: string;
  readonly uses?: string;
  readonly steps?: readonly Step[];
}

const FOLDER = join(PACKAGE_ROOT, ".github", "workflows");
const texts = readdirSync(FOLDER).map((name) => [name, readFileSync(join(FOLDER, name), "utf8")] as const);
const jobsOf = (text: string) => Object.entries((parse(text) as { jobs: Record<string, Job> }).jobs);
const release = Object.fromEntries(jobsOf(readFileSync(join(FOLDER, "release.yaml"), "utf8")));
const commandsOf = (job: Job | undefined) => (job?.steps ?? []).flatMap(({ run }) => run ?? []);

it.each(texts)("the workflow %s names each action by its digest, with its version beside it", (_, text) => {
  const actions = [...text.matchAll(/uses: (?!\.\/)(.*)/g)].map(([, action]) => action);
  for (const action of actions) expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
});

it.each(texts)("the workflow %s lets the runner do nothing after root, whose files it cannot change", (_, text) => {
  for (const [name, job] of jobsOf(text)) {
    const commands = commandsOf(job).filter((run) => !run.startsWith("sudo apt-get"));
    expect([name, commands.slice(0, -1).filter((run) => run.startsWith("sudo"))]).toEqual([name, []]);
  }
});

it.each(texts)("the workflow %s runs each command on the Node that its job sets up, also as root", (_, text) => {
  for (const [name, job] of jobsOf(text)) {
    const commands = commandsOf(job).flatMap((run) => run.split(/\n|&&|\|\|/).map((command) => command.trim()));
    // sudo keeps PATH for the program, but looks for the program itself in its own path.
    expect([name, commands.filter((command) => /^sudo .*\s(node|npm|npx)\s/.test(command))]).toEqual([name, []]);
    const setsUp = job.steps?.some(({ uses }) => uses?.startsWith("actions/setup-node@")) === true;
    const needsNode = commands.some((command) => /^(node|npm|npx)\s|"\$\(command -v (node|npm|npx)\)"/.test(command));
    expect([name, setsUp || !needsNode]).toEqual([name, true]);
  }
});

it("pull requests start every check, because a required check that is not started is waited for", () => {
  for (const [name, text] of texts) {
    const { on } = parse(text) as { on: { pull_request?: object | null } };
    expect([name, on.pull_request ?? null]).toEqual([name, null]);
  }
});

const tests = Object.fromEntries(jobsOf(readFileSync(join(FOLDER, "tests.yaml"), "utf8")));

it("a pull request that changes only pages skips the other tests, and still gets the names of all checks", () => {
  const skipped = "needs.changed.outputs.code == 'true'";
  for (const [name, job] of Object.entries(tests)) {
    if (name === "changed" || job.needs === "packages") continue;
    const conditions = job.strategy?.matrix ? job.steps?.slice(1).map((step) => step.if) : [job.if];
    expect([name, job.needs, new Set(conditions)]).toEqual([name, "changed", new Set([skipped])]);
    if (job.strategy?.matrix) expect(job.if).toBeUndefined();
  }
});

const PAGE = "docs/speed.md";

it("the tests ask what the merge of a pull request changes", () => {
  const cwd = temporaryFolder();
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.test", ...args], { cwd, stdio: "pipe" });
  const write = (name: string, text: string) => {
    mkdirSync(join(cwd, dirname(name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  };
  const commit = () => git("commit", "--quiet", "--message", "change");
  const script = tests.changed?.steps?.find(({ id }) => id === "files")?.run ?? "";
  const output = join(cwd, ".git", "output");
  const answerTo = (event: string) => {
    const env = { ...process.env, GITHUB_EVENT_NAME: event, GITHUB_OUTPUT: output };
    writeFileSync(output, "");
    execFileSync("bash", ["-e", "-c", script], { cwd, env });
    return readFileSync(output, "utf8").trim();
  };
  git("init", "--quiet");
  write(PAGE, "old");
  write("src/a.ts", "source");
  git("add", ".");
  commit();
  const cases: [what: string, code: boolean, change: () => void][] = [
    ["a page", false, () => write(PAGE, "new")],
    ["a new page", false, () => write("docs/ci/README.md", "new")],
    ["a source that becomes a page", true, () => git("mv", "src/a.ts", "docs/shop.md")],
    ["a page of another folder", true, () => write("clients/docs/README.md", "new")],
    ["a page and a source", true, () => [PAGE, "src/b.ts"].map((name) => write(name, "newer"))],
  ];
  for (const [what, code, change] of cases) {
    change();
    git("add", ".");
    commit();
    expect([what, answerTo("pull_request")]).toEqual([what, `code=${code}`]);
    expect([what, answerTo("push")]).toEqual([what, "code=true"]);
  }
});

it("Dependabot looks at every lock file", () => {
  const locks = execFileSync("git", ["ls-files", "*package-lock.json"], { cwd: PACKAGE_ROOT, encoding: "utf8" });
  const folders = locks
    .trim()
    .split("\n")
    .map((lock) => posix.join("/", dirname(lock)));
  // Its lock file is that of the project.
  folders.push("/build/older-node");
  const { updates } = parse(readFileSync(join(FOLDER, "..", "dependabot.yml"), "utf8")) as {
    updates: { "package-ecosystem": string; directories?: string[] }[];
  };
  const listed = updates.find((update) => update["package-ecosystem"] === "npm")?.directories;
  expect(listed?.toSorted()).toEqual(folders.toSorted());
});

const neededBy = (name: string): string[] =>
  [release[name]?.needs ?? []].flat().flatMap((needed) => [needed, ...neededBy(needed)]);

it("a release asks for the settings of the repository before all else", () => {
  expect(release.settings).toMatchObject({ permissions: { actions: "read" } });
  expect(commandsOf(release.settings)).toEqual(['node deploy/environments.mjs "$GITHUB_REF_NAME"']);
  for (const name of Object.keys(release).filter((job) => job !== "settings"))
    expect([name, neededBy(name)]).toEqual([name, expect.arrayContaining(["settings"])]);
});

it("a release is tested, and made for its tag, before anything is published", () => {
  expect(release.tests?.uses).toBe("./.github/workflows/tests.yaml");
  expect(commandsOf(release.files)).toContain('npm run release -- --tag "$GITHUB_REF_NAME"');
  for (const name of ["images", "site", "publish"])
    expect(neededBy(name)).toEqual(expect.arrayContaining(["tests", "files"]));
});

it("a release waits for an approval before it publishes", () => {
  expect([release.images?.environment, release.publish?.environment]).toEqual(["release", "release"]);
});

it("a release goes to npm after the images, also if the site fails, unless npm has the version", () => {
  expect(neededBy("publish")).toContain("images");
  expect(neededBy("publish")).not.toContain("site");
  expect(commandsOf(release.publish).at(-1)).toMatch(
    /^npm view "tillseal@\$\{GITHUB_REF_NAME#v\}" version \|\| npm publish /,
  );
});
