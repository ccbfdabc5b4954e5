/** The rules for a release, and its texts. This file does no input or output; release.mjs does. */
import { createHash } from "node:crypto";
import { deadLinks } from "./shop-pages.mjs";

const HEADING = /^## \[([^\]]+)\](?: - (\d{4}-\d{2}-\d{2}))?$/;

/** An image whose content cannot change: `node:24-bookworm-slim@sha256:...`. */
const PINNED = /^\S+@sha256:[0-9a-f]{64}$/;

/** @returns the sections of a changelog in the Keep a Changelog form: version or "Unreleased", date if there is one, text */
function sectionsOf(changelog) {
  const sections = [];
  for (const line of changelog.split(/\r?\n/)) {
    const heading = HEADING.exec(line);
    if (heading) sections.push({ version: heading[1], date: heading[2], lines: [] });
    else sections.at(-1)?.lines.push(line);
  }
  return sections.map(({ lines, ...rest }) => ({ ...rest, text: lines.join("\n").trim() }));
}

/** @returns date and text of this version's section; undefined if it is missing, has no date, or is empty */
export function sectionOf(changelog, version) {
  const { date, text } = sectionsOf(changelog).find((section) => section.version === version) ?? {};
  return date === undefined || text === "" ? undefined : { date, text };
}

/** @returns whether the section Unreleased has entries */
export function hasUnreleased(changelog) {
  return sectionsOf(changelog).some(({ version, text }) => version === "Unreleased" && text !== "");
}

/**
 * @param release version (package.json), lockVersion (package-lock.json), changelog, tag (that started the release, if one did), tags (of git), changes (lines of
 *   `git status --porcelain`), missing (Debian's packages whose programs were not found), empty (fields of publisher.json),
 *   imageBase (field of publisher.json)
 * @returns a sentence for each reason not to make the release
 */
export function releaseFaults({ version, lockVersion, changelog, tag, tags, changes, missing, empty, imageBase }) {
  const faults = [];
  if (changes.length > 0) faults.push(`The tree has changes. Commit or remove them: ${changes.join(", ")}`);
  if (tag !== undefined && tag !== `v${version}`)
    faults.push(`The tag is ${tag}, but package.json has version ${version}. Delete the tag, and push v${version}.`);
  if (tag === undefined && tags.includes(`v${version}`))
    faults.push(
      `Version ${version} is not new: the tag v${version} exists. Raise it: npm version --no-git-tag-version NEW`,
    );
  if (lockVersion !== version)
    faults.push(`package-lock.json has version ${lockVersion}, package.json has ${version}. Run npm install.`);
  if (sectionOf(changelog, version) === undefined)
    faults.push(`CHANGELOG.md has no section "## [${version}] - YYYY-MM-DD" with entries.`);
  if (empty.length > 0)
    faults.push(
      `deploy/publisher.json has empty fields: ${empty.join(", ")}. Only the publisher knows them; fill them in.`,
    );
  if (imageBase !== "" && !PINNED.test(imageBase))
    faults.push(
      `imageBase in deploy/publisher.json names no digest: ${imageBase}. docs/releasing.md has the command that prints it.`,
    );
  if (missing.length > 0) faults.push(`Programs are missing: apt-get install ${missing.join(" ")}`);
  return faults;
}

/** @param policy of an environment, a name in which `*` is any text @returns whether it lets the tag in */
const admits = ({ type, name }, tag) =>
  type === "tag" && new RegExp(`^${name.replaceAll(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`).test(tag);

/**
 * @param environments of GitHub by name, each with its `policies`; undefined if there is none
 * @returns a sentence for each setting of the repository that would stop a release half way
 */
export function settingFaults(tag, environments, npmRegistry) {
  const faults = Object.entries(environments).flatMap(([name, environment]) => {
    if (environment === undefined) return [`The environment ${name} is missing.`];
    const { deployment_branch_policy: restricted, policies, protection_rules: rules } = environment;
    return [
      ...(name === "release" && !rules.some(({ type }) => type === "required_reviewers")
        ? [`The environment ${name} has no required reviewers.`]
        : []),
      ...(restricted && !policies.some((policy) => admits(policy, tag))
        ? [`The environment ${name} does not let the tag ${tag} in. Add the rule for tags "v*".`]
        : []),
    ];
  });
  if (npmRegistry === "") faults.push("The variable NPM_REGISTRY is empty.");
  return faults.map((fault) => `${fault} docs/releasing.md lists what the repository needs on GitHub.`);
}

/** The largest sizes in bytes. A package that grows past its budget needs a decision. */
const BUDGETS = [
  [/^tillseal-\d.*\.tgz$/, 12_000_000],
  [/^tillseal-production-.*\.tgz$/, 2_500_000],
  [/\.deb$/, 36_000_000],
  [/-setup\.exe$/, 30_000_000],
  [/\.zip$/, 50_000_000],
  [/\.sbom\.json$/, 500_000],
];

/** @param name of a file of a release @param size in bytes @returns a sentence if the file is too large, or has no budget */
export function sizeFault(name, size) {
  const budget = BUDGETS.find(([pattern]) => pattern.test(name))?.[1];
  if (budget === undefined) return `${name} has no budget. Add one to BUDGETS in deploy/release-rules.mjs.`;
  if (size <= budget) return undefined;
  return `${name} has ${size} bytes; its budget is ${budget}. Make it smaller, or raise BUDGETS in deploy/release-rules.mjs.`;
}

/** Words that are wrong as soon as the package is published. */
const UNPUBLISHED = /in no package registry|not (?:been )?published yet|npm pack\b/i;

/**
 * @param pages paths and texts of the pages in a package
 * @param exists returns whether a path is in the package
 * @returns a sentence for each dead link, and for each page with words that are wrong after the release
 */
export function pageFaults(pages, exists) {
  return pages.flatMap(([path, text]) => [
    ...deadLinks(text, path, exists).map((link) => `${path} links to ${link}, which is not in the package.`),
    ...(UNPUBLISHED.test(text) ? [`${path} says "${UNPUBLISHED.exec(text)[0]}".`] : []),
  ]);
}

/** The version's section as a separate page. Links into the repository become text with the path. */
export function releaseNotes(changelog, version) {
  const { date, text } = sectionOf(changelog, version);
  const alone = text.replaceAll(/\[([^\]]+)\]\((?!https?:)([^)#]+)[^)]*\)/g, (_, label, path) =>
    label === path ? path : `${label} (${path})`,
  );
  return `# tillseal ${version}\n\n${date}\n\n${alone}\n`;
}

/** @param files names and contents @returns the text of SHA256SUMS, which `sha256sum --check` reads */
export function checksums(files) {
  return files
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, content]) => `${createHash("sha256").update(content).digest("hex")}  ${name}\n`)
    .join("");
}
