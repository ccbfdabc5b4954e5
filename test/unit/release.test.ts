/** What `npm run release` refuses, and the texts that it writes. */
import { execFile, execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { expect, it } from "vitest";
import { PACKAGE_ROOT, PACKAGE_VERSION } from "../../src/base/package-root.js";
import { temporaryFolder } from "../support/folder.js";
import { openServer } from "../support/server.js";

interface Release {
  readonly version: string;
  readonly lockVersion: string;
  readonly changelog: string;
  readonly tag?: string;
  readonly tags: readonly string[];
  readonly changes: readonly string[];
  readonly missing: readonly string[];
  readonly empty: readonly string[];
  readonly imageBase: string;
}

const { checksums, hasUnreleased, pageFaults, releaseFaults, releaseNotes, sectionOf, settingFaults, sizeFault } =
  (await import(pathToFileURL(join(PACKAGE_ROOT, "deploy", "release-rules.mjs")).href)) as {
    checksums(files: readonly (readonly [string, Buffer])[]): string;
    hasUnreleased(changelog: string): boolean;
    pageFaults(pages: readonly (readonly [string, string])[], exists: (path: string) => boolean): string[];
    releaseFaults(release: Release): string[];
    releaseNotes(changelog: string, version: string): string;
    sectionOf(changelog: string, version: string): { date: string; text: string } | undefined;
    settingFaults(tag: string, environments: Record<string, object | undefined>, npmRegistry: string): string[];
    sizeFault(name: string, bytes: number): string | undefined;
  };

interface Addresses {
  readonly images: string;
  readonly downloads: string;
  readonly repository: string;
}

const { codeOwners, emulatorImage, howToInstall, publishedSpec, publisherFields, whereToGet } = (await import(
  pathToFileURL(join(PACKAGE_ROOT, "deploy", "publisher.mjs")).href
)) as {
  codeOwners(publisher: { codeOwners: string }): string;
  emulatorImage(version: string, publisher: Addresses): string;
  howToInstall(version: string, made: boolean, publisher: Addresses): string;
  publishedSpec(
    version: string,
    inNpm: (name: string) => string,
    publisher: { repository: string },
  ): string | undefined;
  publisherFields(): { readonly keywords: readonly string[] };
  whereToGet(version: string, publisher: Addresses): string;
};

const { reachedTypes } = (await import(pathToFileURL(join(PACKAGE_ROOT, "deploy", "stage.mjs")).href)) as {
  reachedTypes(files: readonly string[], read: (path: string) => string): string[];
};

interface Bill {
  readonly metadata: { readonly component: { readonly "bom-ref": string } };
  readonly components: readonly { readonly purl: string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const { withComponents } = (await import(pathToFileURL(join(PACKAGE_ROOT, "deploy", "supply-chain.mjs")).href)) as {
  withComponents(bill: Bill, libraries: readonly object[]): Bill;
};

const CHANGELOG = `# Changelog

## [Unreleased]

## [1.1.0] - 2027-01-02

### Added

- The [day report](docs/bookkeeping.md#sums), see [docs/interface.md](docs/interface.md) and [SemVer](https://semver.org/).

## [1.0.0] - 2026-12-01

### Fixed

- Something.
`;

const NEW: Release = {
  version: "1.1.0",
  lockVersion: "1.1.0",
  changelog: CHANGELOG,
  tags: ["v1.0.0", "v1.1.0-rc.1"],
  changes: [],
  missing: [],
  empty: [],
  imageBase: `node:24-bookworm-slim@sha256:${"0".repeat(64)}`,
};

it("a release needs a new version and a clean tree", () => {
  expect(releaseFaults(NEW)).toEqual([]);
});

it("a release is started by the tag of its version", () => {
  expect(releaseFaults({ ...NEW, tag: "v1.1.0", tags: ["v1.1.0"] })).toEqual([]);
});

it.each<[string, Partial<Release>, RegExp]>([
  ["a changed or new file", { changes: [" M README.md", "?? note.txt"] }, /README\.md, \?\? note\.txt/],
  ["a version that has a tag", { tags: ["v1.1.0"] }, /1\.1\.0 is not new: the tag v1\.1\.0 exists/],
  ["a tag of another version", { tag: "v9.9.9" }, /The tag is v9\.9\.9, but package\.json has version 1\.1\.0/],
  ["a lock file of another version", { lockVersion: "1.0.0" }, /package-lock\.json has version 1\.0\.0/],
  ["a changelog without the version", { version: "1.2.0", lockVersion: "1.2.0" }, /no section "## \[1\.2\.0\]/],
  ["a section without a date", { changelog: "## [1.1.0]\n\n- x\n" }, /no section/],
  ["an empty section", { changelog: "## [1.1.0] - 2027-01-02\n\n## [1.0.0] - 2026-12-01\n- x\n" }, /no section/],
  ["an address that only the publisher knows", { empty: ["bugs"] }, /publisher\.json has empty fields: bugs/],
  ["a base of the images that may change", { imageBase: "node:24-bookworm-slim" }, /imageBase .* names no digest/],
  ["a missing program", { missing: ["nsis", "zip"] }, /apt-get install nsis zip/],
])("a release is refused with an explanation for %s", (_, difference, sentence) => {
  expect(releaseFaults({ ...NEW, ...difference })).toEqual([expect.stringMatching(sentence)]);
});

it("a release lists every reason at once", () => {
  expect(releaseFaults({ ...NEW, changes: ["?? x"], tags: ["v1.1.0"], changelog: "" })).toHaveLength(3);
});

const REVIEWED = { protection_rules: [{ type: "required_reviewers" }, { type: "branch_policy" }] };
const ANY_REF = { deployment_branch_policy: null, policies: [] };
const CHOSEN = { protected_branches: false, custom_branch_policies: true };
const onlyFrom = (type: string, name: string) => ({ deployment_branch_policy: CHOSEN, policies: [{ type, name }] });
const OPEN_PAGES = { protection_rules: [], ...onlyFrom("tag", "v*") };
const REGISTRY = "https://npm.test/";

it.each([
  ["any branch and tag", ANY_REF],
  ["tags of versions", onlyFrom("tag", "v*")],
  ["this tag", onlyFrom("tag", "v1.1.0")],
])("a release starts when the repository's environments let in %s", (_, policy) => {
  expect(
    settingFaults("v1.1.0", { release: { ...REVIEWED, ...policy }, "github-pages": OPEN_PAGES }, REGISTRY),
  ).toEqual([]);
});

it.each<[string, Record<string, object | undefined>, string, RegExp]>([
  ["the environment that publishes", { release: undefined }, REGISTRY, /^The environment release is missing\. docs\//],
  ["the environment of the site", { "github-pages": undefined }, REGISTRY, /^The environment github-pages is missing/],
  ["a reviewer", { release: { protection_rules: [], ...ANY_REF } }, REGISTRY, /release has no required reviewers/],
  [
    "a rule for tags, as GitHub makes the environment of the site",
    { "github-pages": { protection_rules: [], ...onlyFrom("branch", "main") } },
    REGISTRY,
    /github-pages does not let the tag v1\.1\.0 in\. Add the rule for tags "v\*"/,
  ],
  [
    "a rule for this tag",
    { release: { ...REVIEWED, ...onlyFrom("tag", "w*") } },
    REGISTRY,
    /release does not let the tag/,
  ],
  [
    "a rule besides protected branches",
    { release: { ...REVIEWED, deployment_branch_policy: { protected_branches: true }, policies: [] } },
    REGISTRY,
    /release does not let the tag/,
  ],
  ["npm's address", {}, "", /^The variable NPM_REGISTRY is empty/],
])("a release stops at its start when the repository lacks %s", (_, difference, registry, sentence) => {
  const environments = { release: { ...REVIEWED, ...ANY_REF }, "github-pages": OPEN_PAGES, ...difference };
  expect(settingFaults("v1.1.0", environments, registry)).toEqual([expect.stringMatching(sentence)]);
});

it("a release asks GitHub for environments and their rules before its first job", async () => {
  const answers: Record<string, object> = {
    release: { ...REVIEWED, deployment_branch_policy: null },
    "github-pages": { protection_rules: [], deployment_branch_policy: CHOSEN },
    "github-pages/deployment-branch-policies": { branch_policies: [{ type: "branch", name: "main" }] },
  };
  const tokens: (string | undefined)[] = [];
  const { url: address } = await openServer(({ url = "", headers }, response) => {
    tokens.push(headers.authorization);
    const answer = answers[url.replace("/repos/o/tillseal/environments/", "")];
    response.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
  });
  const variables = { GITHUB_API_URL: address, GITHUB_REPOSITORY: "o/tillseal", GH_TOKEN: "secret" };
  const env = { ...process.env, ...variables, NPM_REGISTRY: REGISTRY };
  const { status, stderr } = await new Promise<{ status: unknown; stderr: string }>((resolve) =>
    execFile(
      process.execPath,
      [join(PACKAGE_ROOT, "deploy", "environments.mjs"), "v1.1.0"],
      { env },
      (error, _, text) => resolve({ status: error?.code ?? 0, stderr: text }),
    ),
  );
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^The environment github-pages does not let the tag v1.1.0 in.*\n$/),
  ]);
  expect(new Set(tokens)).toEqual(new Set(["Bearer secret"]));
});

it("a package has the types that its entries reach, and no others", () => {
  const files: Record<string, string> = {
    "harness/kit.d.ts":
      'import type { A } from "../src/a.js";\nexport type { B } from "./b.js";\nexport type C = import("./c.js").C;',
    "src/a.d.ts": 'import { readFile } from "node:fs";\nimport "./side.js";',
    "src/side.d.ts": 'export * from "../harness/kit.js";',
    "harness/b.d.ts": "",
    "harness/c.d.ts": "",
    "harness/unused.d.ts": "",
  };
  const { "harness/unused.d.ts": _, ...reached } = files;
  expect(reachedTypes(["harness/kit.d.ts"], (path) => files[path] ?? "").toSorted()).toEqual(
    Object.keys(reached).toSorted(),
  );
});

it("the bill of materials names a library once that is in the bundle and in the console", () => {
  const library = { name: "qr", version: "0.7.0", purl: "pkg:npm/qr@0.7.0", licenses: [] };
  const bill = { metadata: { component: { "bom-ref": "tillseal@1.0.0" } }, components: [], dependencies: [] };
  const root = { ref: "tillseal@1.0.0", dependsOn: [] };
  const whole = withComponents({ ...bill, dependencies: [root] }, [library, library]);
  expect(whole.components.map(({ purl }) => purl)).toEqual([library.purl]);
  expect(whole.dependencies).toEqual([
    { ref: "tillseal@1.0.0", dependsOn: ["qr@0.7.0"] },
    { ref: "qr@0.7.0", dependsOn: [] },
  ]);
});

const exists = (path: string) => path === "docs/shop.md";

it("the pages of a package may link to each other, to headings and to the web", () => {
  expect(pageFaults([["docs/codes.md", "[s](shop.md#pin) [t](#top) [w](https://example.org/)"]], exists)).toEqual([]);
});

it("the pages of a package may neither link to what is not in the package nor speak of the time before the release", () => {
  const faults = pageFaults([["docs/codes.md", "[x](../test/x.md) tillseal is in no package registry yet."]], exists);
  expect(faults).toEqual([
    "docs/codes.md links to ../test/x.md, which is not in the package.",
    'docs/codes.md says "in no package registry".',
  ]);
});

it("the pages of a package may not grow past the budget of their package", () => {
  expect(sizeFault("tillseal-1.0.0.tgz", 1_000_000)).toBeUndefined();
  expect(sizeFault("tillseal-1.0.0.tgz", 13_000_000)).toContain("its budget is");
  expect(sizeFault("tillseal-1.0.0-windows-x64-setup.exe", 100_000_000)).toContain("its budget is");
  expect(sizeFault("tillseal-1.0.0.rpm", 1)).toContain("has no budget");
});

it("release notes are the section of the version, with links that only work inside the repository turned into text", () => {
  expect(releaseNotes(CHANGELOG, "1.1.0")).toBe(`# tillseal 1.1.0

2027-01-02

### Added

- The day report (docs/bookkeeping.md), see docs/interface.md and [SemVer](https://semver.org/).
`);
});

it("release notes have each section complete, without its neighbours", () => {
  const text = fc.stringMatching(/^[a-z][a-z \n#-]{0,40}[a-z]$/);
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (texts) => {
      const changelog = texts.map((value, index) => `## [${index}.0.0] - 2027-01-01\n\n${value}\n\n`).join("");
      expect(texts.map((_, index) => sectionOf(changelog, `${index}.0.0`)?.text)).toEqual(texts);
    }),
  );
});

it("release notes say whether entries wait for the next version", () => {
  expect(hasUnreleased(CHANGELOG)).toBe(false);
  expect(hasUnreleased(CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n\n### Added\n\n- New.\n"))).toBe(true);
});

it("release notes can be cut from this repository's changelog", () => {
  const changelog = readFileSync(join(PACKAGE_ROOT, "CHANGELOG.md"), "utf8");
  expect(releaseNotes(changelog, PACKAGE_VERSION)).toContain("\n### ");
});

it("checksums are sorted by name and accepted by sha256sum", () => {
  const folder = temporaryFolder();
  const files = [["tillseal_1.0.0~rc.1_amd64.deb", Buffer.from("b")] as const, ["a.zip", Buffer.alloc(0)] as const];
  for (const [name, content] of files) writeFileSync(join(folder, name), content);
  writeFileSync(join(folder, "SHA256SUMS"), checksums(files));
  const output = execFileSync("sha256sum", ["--check", "SHA256SUMS"], { cwd: folder, encoding: "utf8" });
  expect(output).toBe("a.zip: OK\ntillseal_1.0.0~rc.1_amd64.deb: OK\n");
});

it("says where everything is published", () => {
  const ours = { images: "r.test/o", downloads: "https://d.test/", repository: "https://f.test/o/tillseal" };
  const where = whereToGet("1.2.3", ours);
  expect(where).toContain(
    "`r.test/o/tillseal:emulator-1.2.3`, `r.test/o/tillseal:emulator-1`, `r.test/o/tillseal:emulator`",
  );
  expect(where).toContain("`r.test/o/tillseal:card-1.2.3`");
  expect(where).toContain("[downloads](https://d.test/)");
  expect(where).toContain("`uses: o/tillseal@v1.2.3`");
  expect(whereToGet("1.2.3-rc.1", ours)).not.toContain("tillseal:emulator`");
  expect(emulatorImage("1.2.3", ours)).toBe("r.test/o/tillseal:emulator-1.2.3");
  for (const made of [true, false])
    expect(howToInstall("1.2.3", made, ours)).toMatch(
      /^<!-- not run: .*\n```sh\nnpm init -y && npm install --save-dev tillseal@1\.2\.3\n```$/,
    );
});

it.each([
  [
    "its own version, once npm has it",
    "https://f.test/o/t",
    { "tillseal@1.2.0": "1.2.0", tillseal: "1.2.0" },
    "tillseal@1.2.0",
  ],
  ["the newest version of npm before its release", "https://f.test/o/t", { tillseal: "1.1.0" }, "tillseal@1.1.0"],
  ["the package of its checkout before the first release", "https://f.test/o/t", {}, undefined],
  ["nothing of a stranger who has the name in npm", "", { tillseal: "6.6.6" }, undefined],
])("the action installs %s", (_, repository, npm: Record<string, string>, spec) => {
  expect(publishedSpec("1.2.0", (name) => npm[name] ?? "", { repository })).toBe(spec);
});

it("names the people who review changes, once they are known", () => {
  const lines = (owners: string) =>
    codeOwners({ codeOwners: owners })
      .split("\n")
      .filter((line) => !line.startsWith("#"));
  expect(lines("@o/till")).toEqual(["* @o/till", ""]);
  expect(lines("")).toEqual([""]);
});

it("the package for npm is found by the words that developers search for", () => {
  const searched = ["e-sdc", "l-pfr", "esir", "fiscalization", "fiscal receipt", "smart card", "emulator", "simulator"];
  expect(publisherFields().keywords).toEqual(expect.arrayContaining([...searched, "pos", "serbia"]));
});

it("says how to make everything while the publisher is not known", () => {
  const unknown = { images: "", downloads: "", repository: "" };
  expect(whereToGet("1.2.3", unknown).match(/`[^`]+`/g)).toEqual([
    "`npm run build:npm`",
    "`docker build -f docker/Dockerfile --target emulator -t tillseal:emulator .`",
    "`docker build -f docker/Dockerfile --target card -t tillseal:card .`",
    "`npm run build:debian`",
    "`node deploy/windows/build.mjs out`",
    "`uses: ./.tillseal`",
  ]);
  expect(emulatorImage("1.2.3", unknown)).toBe("tillseal:emulator");
  expect(howToInstall("1.2.3", false, unknown)).toMatch(
    /npm run build:npm\n.*out\/tillseal-1\.2\.3\.tgz[\s\S]*install.* \.\/tillseal-1\.2\.3\.tgz\n/,
  );
  expect(howToInstall("1.2.3", true, unknown)).not.toContain("build:npm");
});
