/** The workflows of the public CI. `test/tools/run.mjs` checks their form. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { PACKAGE_ROOT } from "../../src/base/package-root.js";

interface Job {
  readonly needs?: string | readonly string[];
  readonly environment?: string;
  readonly uses?: string;
  readonly steps?: readonly { readonly run?: string; readonly uses?: string }[];
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
