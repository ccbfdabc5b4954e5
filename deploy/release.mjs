/**
 * `npm run release`: builds all files of a version into out/release, with checksums and notes from the changelog. It refuses a
 * tree with changes, a version that exists already, and empty fields in publisher.json. With `--check` it only looks for what would
 * stop a release of the packages. It publishes nothing: the jobs of a tag do (docs/releasing.md).
 * Needs Debian's dpkg-deb, nsis and zip, and npm's registry.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { emptyFields, PUBLISHER } from "./publisher.mjs";
import { packageFaults } from "./release-check.mjs";
import { checksums, hasUnreleased, releaseFaults, releaseNotes, sizeFault } from "./release-rules.mjs";
import { releaseSteps } from "./release-steps.mjs";
import { ROOT } from "./stage.mjs";

const target = join(ROOT, "out", "release");
/** Folder for the build. It is renamed to the target when it is complete. */
const part = join(ROOT, "out", "release.part");

const read = (name) => readFileSync(join(ROOT, name), "utf8");
const git = (...args) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).split("\n").filter(Boolean);

/** Programs, and the packages of Debian that have them. */
const PROGRAMS = { "dpkg-deb": "dpkg", makensis: "nsis", zip: "zip" };
const isThere = (program) =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .some((folder) => statSync(join(folder, program), { throwIfNoEntry: false })?.isFile());

const args = process.argv.slice(2);
if (args.includes("--check")) {
  const reasons = await packageFaults();
  for (const reason of reasons) console.error(`- ${reason}`);
  const empty = emptyFields();
  if (empty.length > 0) console.log(`Before a release, fill in deploy/publisher.json: ${empty.join(", ")}`);
  console.log(
    reasons.length === 0 ? "Both packages start. Nothing in them would stop a release." : "These would stop a release.",
  );
  process.exit(reasons.length === 0 ? 0 : 1);
}

const { version } = JSON.parse(read("package.json"));
function refuseFor(reasons) {
  if (reasons.length === 0) return;
  console.error(`No release of ${version}:\n${reasons.map((reason) => `- ${reason}\n`).join("")}`);
  process.exit(1);
}
const changelog = read("CHANGELOG.md");
const faults = releaseFaults({
  version,
  lockVersion: JSON.parse(read("package-lock.json")).version,
  changelog,
  // The tag whose push has started this release.
  tag: args.includes("--tag") ? args[args.indexOf("--tag") + 1] : undefined,
  tags: git("tag", "--list"),
  changes: git("status", "--porcelain"),
  empty: emptyFields(),
  imageBase: PUBLISHER.imageBase,
  missing: Object.keys(PROGRAMS).flatMap((program) => (isThere(program) ? [] : [PROGRAMS[program]])),
});
refuseFor(faults);
if (hasUnreleased(changelog)) console.log("Note: the notes leave out what CHANGELOG.md has under [Unreleased].");

rmSync(part, { recursive: true, force: true });
mkdirSync(part, { recursive: true });
const steps = releaseSteps(part);
for (const [index, [title, args]] of steps.entries()) {
  console.log(`[${index + 1}/${steps.length}] ${title}`);
  try {
    execFileSync(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
  } catch {
    console.error(
      `No release of ${version}: node ${args.join(" ")} failed; its error is above. The files made so far are in ${part}`,
    );
    process.exit(1);
  }
}

const sizes = readdirSync(part).flatMap((name) => sizeFault(name, statSync(join(part, name)).size) ?? []);
refuseFor(sizes);
writeFileSync(join(part, "RELEASE-NOTES.md"), releaseNotes(changelog, version));
const names = readdirSync(part).toSorted();
writeFileSync(join(part, "SHA256SUMS"), checksums(names.map((name) => [name, readFileSync(join(part, name))])));
rmSync(target, { recursive: true, force: true });
renameSync(part, target);

console.log(`\ntillseal ${version} of ${git("rev-parse", "--short=12", "HEAD")[0]} is in out/release:`);
for (const name of readdirSync(target).toSorted())
  console.log(`${(statSync(join(target, name)).size / 2 ** 20).toFixed(1).padStart(7)} MiB  ${name}`);
console.log("Nothing is published. The jobs of a pushed tag publish: docs/releasing.md.");
